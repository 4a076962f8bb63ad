// Which blocks of a launch to run where all of them would take too long. Blocks of a regular kernel differ at
// the edges of the grid alone: the first, the last and an inner position along each axis stand for all.
// Further inner blocks show whether that holds. Internal to run.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/diagnostic.hpp"

namespace warpgrade::run {

struct SampleBlocks {
  struct Kind {
    std::uint64_t block = 0;       ///< its number, x counting fastest
    std::uint64_t stands_for = 1;  ///< blocks
    bool operator==(const Kind &) const = default;
  };
  std::vector<Kind> kinds;             ///< the inner one first
  std::vector<std::uint64_t> inner;    ///< more blocks that must do the same as the first kind
  std::uint64_t right = 0, below = 0;  ///< neighbours of the first kind; itself where there is none
};

/// Grids of at most 16 blocks are run whole.
SampleBlocks choose_blocks(const simt::Dim3 &grid);

}  // namespace warpgrade::run
