// How long a block takes alone: the path of a warp through the code, with the latency of each instruction.
// Internal to predict.
#pragma once

#include "predict/machine.hpp"
#include "ptx/module.hpp"
#include "run/run.hpp"

namespace warpgrade::predict {

/// Where the global loads of a warp find their data. Shares from 0 to 1.
struct LoadHits {
  double l1 = 0;  ///< of the sectors of all loads: in the first-level cache
  double l2 = 1;  ///< of what a wave of blocks reads, each sector once: in the L2 cache when the wave starts
};

/// Cycles that an instruction takes from the warps of one block, all of which are at the same place.
struct Slots {
  double issue = 1;   ///< until the scheduler can issue the next instruction of the path
  double memory = 1;  ///< until the load and store unit has taken an access of every warp
};

/// Cycles from the first to the last instruction of the path of a block that is alone, every instruction
/// starting as soon as its operands are there and those before it in its basic block are issued: loads move
/// up within a basic block, as ptxas moves them, and nothing moves from one turn of a loop into another. 0 if
/// the path is empty.
double path_cycles(const ptx::Module &, const simt::Path &, const Architecture &, LoadHits, Slots);

}  // namespace warpgrade::predict
