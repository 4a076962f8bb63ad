// What holds of a step for all sizes of its contract: launches are fitted from recorded plans, and simulator/prove
// decides about each kernel. What fails is a case that was run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "score/step_record.hpp"

namespace warpgrade::grading {

struct ProveOptions {
  double seconds = 10;  ///< by the wall clock, without building
  bool brief = false;   ///< from few plans, and without running a case
  /// Of all kernels together, as prove::Limits::work: what is decided is then the same on every machine. 0: no limit
  std::uint64_t work = 0;
};

struct Proof {
  std::string sizes;                  ///< "m, n, k from 1 to 32768"
  std::vector<std::string> launches;  ///< "gemm_naive(...): grid ceil_div(m, 32) x 1 x 1, block 32 x 8 x 1"
  std::vector<PropertyRecord>
      properties;  ///< bounds, races, written, barriers, overflow; `why` of a proved one: its condition
  double seconds = 0;
};

}  // namespace warpgrade::grading
