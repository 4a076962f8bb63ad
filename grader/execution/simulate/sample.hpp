// Chooses the blocks of a launch to run when all of them would take too long. Blocks of a regular kernel differ
// only at the edges of the grid: the first, the last and an inner position along each axis represent all.
// Further inner blocks check that. Internal to run.
#pragma once

#include <cstdint>
#include <vector>

#include "counters/diagnostic.hpp"

namespace warpgrade::run {

struct SampleBlocks {
  struct Kind {
    std::uint64_t block = 0;       ///< its number, x counting fastest
    std::uint64_t stands_for = 1;  ///< number of blocks represented
    bool operator==(const Kind &) const = default;
  };
  std::vector<Kind> kinds;             ///< the inner one first
  std::vector<std::uint64_t> inner;    ///< more blocks that must do the same as the first kind
  std::uint64_t right = 0, below = 0;  ///< neighbours of the first kind; itself at the edge
};

/// Grids of at most 16 blocks are run completely.
SampleBlocks choose_blocks(const simt::Dim3 &grid);

}  // namespace warpgrade::run
