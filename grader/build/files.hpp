// The files beside which student code is compiled.
#pragma once

#include <filesystem>
#include <vector>

namespace warpgrade::build {

/// What student files are compiled with: the files of a starter's folder that are neither theirs (.cu) nor
/// for people alone (.md, and names that begin with a dot). By name; names without folder.
std::vector<std::filesystem::path> support_files(const std::filesystem::path &starter);

}  // namespace warpgrade::build
