// The numbers of softmax and attention, which the host and a GPU draw alike, and the bound on errors.
#pragma once

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace {

constexpr std::uint64_t width = 64;  // of a query, a key and a value

/// Bounds on relative errors, in units of 2^-24, for a softmax of n numbers that differ by at most `spread`:
/// expf is off by at most 4. Subtracting the largest number rounds by at most the difference, and e^x turns
/// this absolute error into a relative one. A single pass may have to multiply the sum by another e^x for
/// each element: 4 for this factor, 1 for the product, 1 for the addition. The numerator is off by as much as
/// one term of the sum; the division adds 2 with the fast variant.
constexpr double softmax_error(double n, double spread) {
  return 6 * n + 2 * (4 + spread) + 2;
}

/// Between -1 and 1, so that every element matters in the sum. large: each row is shifted by a number of its
/// own beyond +-128, whose e^x a float cannot hold. Rows are so far apart that the largest number of one is
/// of no use to another.
constexpr std::uint64_t element_of_softmax(std::uint64_t columns, bool equal, bool large, std::uint64_t seed,
                                           std::uint64_t array, std::uint64_t i) {
  using namespace warpgrade::problem;
  const std::uint64_t row = i / columns;
  if (array == 0 && equal) return bits_of(0.75f);
  const float drawn = awkward_float(random_bits(seed, array + 1, i), 1, 4);
  if (array == 1 || !large) return bits_of(drawn);
  const float shift = 128.0f + 256.0f * static_cast<float>(random_bits(seed, 0, row) % 16);
  return bits_of(drawn + (row % 2 == 0 ? shift : -shift));
}

/// large: queries are so long that e to the power of a score is more than a float can hold.
constexpr std::uint64_t element_of_attention(bool large, std::uint64_t seed, std::uint64_t array,
                                             std::uint64_t i) {
  using namespace warpgrade::problem;
  const float drawn = awkward_float(random_bits(seed, array + 1, i), 1, 4);
  return bits_of(array == 0 && large ? 256 * drawn : drawn);
}

}  // namespace
