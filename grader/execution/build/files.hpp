// The files beside which student code is compiled.
#pragma once

#include <filesystem>
#include <vector>

namespace warpgrade::build {

/// The files with which student files are compiled: those in a starter's folder that are neither the
/// student's (.cu) nor only for people (.md, and names that begin with a dot). Sorted by name; names without
/// folder.
std::vector<std::filesystem::path> support_files(const std::filesystem::path &starter);

}  // namespace warpgrade::build
