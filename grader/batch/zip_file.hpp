// Files as the bytes of a zip that somebody else unpacks.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::batch {

struct ZipEntry {
  std::string path;  ///< with slashes, relative
  std::string content;
  bool executable = false;
};

/// Entries in the order given, with one fixed time: the same entries give the same bytes. Throws
/// std::runtime_error.
std::string zip_of(const std::vector<ZipEntry> &);

}  // namespace warpgrade::batch
