// What all workers of a launch counted, together. Internal to simt.
#pragma once

#include <memory>
#include <vector>

#include "machine/block_run.hpp"

namespace warpgrade::simt {

using Workers = std::vector<std::unique_ptr<BlockRun>>;

Counters count_all(const Workers &);
/// Branches that were reached, by their line in the PTX text.
std::vector<BranchCount> gather_branches(const Workers &);

}  // namespace warpgrade::simt
