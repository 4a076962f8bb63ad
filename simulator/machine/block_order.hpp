// Orders in which the blocks of a launch run, other than ascending.
#pragma once

#include <cstdint>
#include <vector>

namespace warpgrade::simt {

/// In ascending order, but for one that is the first. Empty, which is ascending, for more blocks than are reordered.
std::vector<std::uint64_t> with_first(std::uint64_t blocks, std::uint64_t first);

/// In an order that a seed decides; empty for seed 0 and for more blocks than are reordered.
std::vector<std::uint64_t> shuffled(std::uint64_t blocks, std::uint64_t seed);

}  // namespace warpgrade::simt
