// Cases of a launch that has names in place of sizes, run on the simulator.
#pragma once

#include "prove/prove.hpp"

namespace warpgrade::cases {

struct CaseLimits {
  std::uint64_t threads = 1 << 20;  ///< of a launch; a larger one is not run
  std::uint64_t bytes = 1 << 28;    ///< of all buffers
  std::uint64_t instructions = 20'000'000;
};

/// Runs one case after another of a problem, which must outlive it. Buffers without a shape get a mebibyte; numbers
/// that are data are 1.
prove::Runner on_simulator(const prove::Problem &, const CaseLimits & = {});

}  // namespace warpgrade::cases
