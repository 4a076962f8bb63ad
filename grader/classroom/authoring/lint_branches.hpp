// Branches of the solutions that no case of an assignment takes both ways: `gradebook lint --search`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgrade::authoring {

/// A remark for each line of a solution with a branch that no case takes one of its ways, and for each step for which
/// a search finds a case that its solution fails.
std::vector<std::string> branches_not_taken(const std::filesystem::path &root, const std::string &name);

}  // namespace warpgrade::authoring
