// Small kernels with affine indices, by chance: a kernel's seed says all of it. And what is decided, by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "prove/prove.hpp"

namespace warpgrade::prove {

struct Generated {
  std::string ptx;
  Problem problem;  ///< without its module
  int most = 40;    ///< the largest size that takes little time to run
};

/// One size, n; a buffer A of n, n + 1, 2 * n or n * n elements; data D, which are only read; guards, loops, shared memory
/// and barriers, quotients and remainders, unrolled accesses.
Generated generate(std::uint64_t seed);

/// The same with a loop, or one within another, that is left in several ways, by break, return and continue, as an index,
/// a size, the count or data say, and with what follows it: barriers, and accesses by the last count.
Generated generate_ways_out(std::uint64_t seed);

/// A loop of n iterations over shared buffers that take turns, or through pointers that do, by all sorts of rules, with barriers
/// or without.
Generated generate_turns(std::uint64_t seed);

/// One size, n; an output A of n, n * n or n * n * n elements that is written in tiles, in boxes, in strides, by vectors or
/// by scalars, forwards or backwards, half of the time with a mistake.
Generated generate_writing(std::uint64_t seed);

/// The properties by name.
std::map<std::string, Property> decided(const Problem &, const Runner & = {});

}  // namespace warpgrade::prove
