// What all workers of a launch counted, printed and executed, together. Internal to simt.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/block_run.hpp"

namespace warpgrade::simt {

using Workers = std::vector<std::unique_ptr<BlockRun>>;

Counters count_all(const Workers &);
/// Branches that were reached, by their line in the PTX text.
std::vector<BranchCount> gather_branches(const Workers &);

/// What the blocks printed, in the order of their numbers, up to last_block.
std::string gather_output(const Workers &, std::uint64_t last_block, std::size_t most);
/// Renumbers a path's basic blocks by their first occurrence.
Path path_of(const Program &, std::vector<std::uint32_t> steps);
/// "; 3 warps are in k.cu:7, 1 warp is in k.cu:9": at most five lines, the fullest first.
std::string where_warps_stand(const Workers &);

}  // namespace warpgrade::simt
