// Writing a zip, for a program that travels without libraries: entries are stored as they are, since what is
// handed in is small. The same bytes for the same files.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpgrade::apps {

/// Names (UTF-8, with /) and contents, in this order. Throws std::invalid_argument beyond what a plain zip
/// holds: 65535 entries, 4 GiB.
std::string zip(const std::vector<std::pair<std::string, std::string>> &files);

}  // namespace warpgrade::apps
