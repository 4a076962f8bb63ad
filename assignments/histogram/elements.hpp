// The numbers of the histogram, which the host and a GPU draw alike.
#pragma once

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace {

/// What random numbers are drawn for.
enum Stream : std::uint64_t { value = 1, whether_crowded = 2, crowd = 3, before = 4 };

/// The upper half of `bits` as a number below `below`, each about as often.
constexpr std::uint32_t drawn(std::uint64_t bits, std::int64_t below) {
  return static_cast<std::uint32_t>((bits >> 32) * static_cast<std::uint64_t>(below) >> 32);
}

/// crowded: this percentage of the numbers, spread over the array, is one number drawn by the seed
constexpr std::uint64_t element_of_histogram(std::int64_t bins, std::int64_t crowded, std::uint64_t seed,
                                             std::uint64_t array, std::uint64_t i) {
  using warpgrade::problem::random_bits;
  if (array == 1) return static_cast<std::uint32_t>(random_bits(seed, before, i));
  if (crowded > 0 && drawn(random_bits(seed, whether_crowded, i), 100) < crowded)
    return drawn(random_bits(seed, crowd, 0), bins);
  return drawn(random_bits(seed, value, i), bins);
}

}  // namespace
