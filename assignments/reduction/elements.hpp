// The numbers of sum and argmin, which the host and a GPU draw alike.
#pragma once

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace {

constexpr std::int64_t most_eighths = std::int64_t{1} << 21;

constexpr std::uint64_t element_of_sum(std::int64_t n, bool exact, std::uint64_t seed, std::uint64_t array,
                                       std::uint64_t i) {
  using namespace warpgrade::problem;
  if (array == 1 || !exact) return awkward_element(seed, array, i);
  const std::uint64_t bits = random_bits(seed, array + 1, i);
  // No zeros: an element that is left out or counted twice must change the sum.
  const int eighths = n > most_eighths ? 8 : 1 + static_cast<int>(bits >> 40 & 7);
  return bits_of(static_cast<float>(bits >> 63 ? -eighths : eighths) / 8);
}

constexpr std::uint64_t element_of_argmin(bool equal, std::uint64_t seed, std::uint64_t array,
                                          std::uint64_t i) {
  using namespace warpgrade::problem;
  const std::uint64_t bits = random_bits(seed, array + 1, i);
  if (array == 1) return bits & 0x7fffffff;
  if (equal) return bits_of(-2.5f);
  return bits_of(static_cast<float>(static_cast<int>(bits >> 56)) / 16 - 8);
}

}  // namespace
