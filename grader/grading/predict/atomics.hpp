// What the atomic operations of a launch cost. Internal to predict.
#pragma once

#include <map>
#include <string>

#include "predict/predict.hpp"

namespace warpgrade::predict {

/// Of an average block.
struct AtomicCost {
  double shared = 0;                    ///< cycles of the load and store unit
  double global = 0;                    ///< requests of warps to global memory
  std::map<std::string, double> at_l2;  ///< cycles of lines of the L2 cache, by buffer
};
AtomicCost atomics_of(const Call &, const run::SampledLaunch &);

}  // namespace warpgrade::predict
