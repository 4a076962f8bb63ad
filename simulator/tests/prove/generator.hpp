// Small kernels with affine indices, by chance: a kernel's seed says all of it.
#pragma once

#include <cstdint>
#include <string>

#include "prove/prove.hpp"

namespace warpgrade::prove {

struct Generated {
  std::string ptx;
  Problem problem;  ///< without its module
  int most = 40;    ///< the largest size that takes little time to run
};

/// One size, n; a buffer A of n, n + 1, 2 * n or n * n elements; guards, loops, shared memory and barriers, quotients and
/// remainders, unrolled accesses.
Generated generate(std::uint64_t seed);

/// One size, n; an output A of n, n * n or n * n * n elements that is written in tiles, in boxes, by vectors or by scalars,
/// half of the time with a mistake.
Generated generate_writing(std::uint64_t seed);

}  // namespace warpgrade::prove
