// Cases of a launch that has names in place of sizes, run on the simulator.
#pragma once

#include "prove/prove.hpp"

namespace warpgrade::cases {

struct CaseLimits {
  /// Of a launch, and of all buffers. Of what is larger, only the last block runs, on memory that is sparse: it shows
  /// where an index leads, and nothing else.
  std::uint64_t threads = 1 << 20;
  std::uint64_t bytes = 1 << 26;
  std::uint64_t instructions = 8'000'000;
  /// A case that left memory is not run further than this: where a loop goes astray, each of its accesses is reported.
  std::uint64_t instructions_astray = 4000;
  /// Buffers that are no outputs hold words from 0 to 7, drawn by this seed; 0: they hold zeros.
  std::uint64_t data_seed = 0;
};

/// Runs one case after another of a problem, which must outlive it. Buffers without a shape get a mebibyte; numbers
/// that are data are 1.
prove::Runner on_simulator(const prove::Problem &, const CaseLimits & = {});

}  // namespace warpgrade::cases
