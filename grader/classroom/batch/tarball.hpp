// Writes an archive for students: the same files give the same bytes, anywhere and at any time.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::batch {

struct PackedFile {
  std::string path;  ///< in the archive, with /
  std::string content;
  bool program = false;  ///< may be executed
};

/// A tar.gz of the files by name, each preceded by its folders; no owner, no times. Throws std::runtime_error
/// if memory or libarchive fails.
std::string tar_gz(std::vector<PackedFile> files);

}  // namespace warpgrade::batch
