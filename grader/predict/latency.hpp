// How long one warp takes alone: the path that it took through the code, with the latency of each
// instruction. Internal to predict.
#pragma once

#include "predict/machine.hpp"
#include "ptx/module.hpp"
#include "run/run.hpp"

namespace warpgrade::predict {

/// Cycles from the first to the last instruction of the path, every instruction starting as soon as its
/// operands are there: within a basic block in any order, as ptxas moves loads up, and one block after the
/// other. Issuing costs nothing here: that is a demand of all warps together. 0 if the path is empty.
/// l1_hits: the share of global loads that the first-level cache answers
double warp_cycles(const ptx::Module &, const simt::Path &, const Architecture &, double l1_hits);

}  // namespace warpgrade::predict
