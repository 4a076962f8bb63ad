// Writing an archive for students: the same bytes for the same files, whoever packs them and when.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::batch {

struct PackedFile {
  std::string path;  ///< in the archive, with /
  std::string content;
  bool program = false;  ///< may be executed
};

/// A tar.gz of the files by name, the folders they lie in before them; no owner, no times. Throws
/// std::runtime_error when memory or libarchive fails.
std::string tar_gz(std::vector<PackedFile> files);

}  // namespace warpgrade::batch
