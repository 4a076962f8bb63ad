// Writing a zip. Not with libarchive, which the class's programs need: ./grade packs what a student hands in
// and runs on machines without that library. Entries are stored uncompressed: they are small.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

struct ZipEntry {
  std::string path;  ///< relative, UTF-8, with /
  std::string content;
  bool executable = false;
};

/// The entries in this order, with one fixed time: the same entries give the same bytes. Throws
/// std::invalid_argument beyond the limits of a plain zip: 65535 entries, 4 GiB.
std::string zip(const std::vector<ZipEntry> &);

/// The entries of such a zip; nothing unless every entry is stored, complete and where the directory says.
std::optional<std::vector<ZipEntry>> stored_entries(std::string_view zip);

}  // namespace warpgrade
