// The numbers of scan and compact, which the host and a GPU draw alike.
#pragma once

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace {

/// Whole numbers between -100 and 100, without 0: sums of up to 2^24 of them fit an int, and every element
/// counts.
constexpr std::int32_t drawn(std::uint64_t bits) {
  const auto magnitude = static_cast<std::int32_t>(1 + (bits & 0xffffffff) % 100);
  return bits >> 63 ? -magnitude : magnitude;
}

constexpr std::uint64_t element_of_scan(std::uint64_t seed, std::uint64_t array, std::uint64_t i) {
  using namespace warpgrade::problem;
  return bits_of(drawn(random_bits(seed, array + 1, i)));
}

/// negative: how many of a hundred are
constexpr std::uint64_t element_of_compact(std::int64_t negative, std::uint64_t seed, std::uint64_t array,
                                           std::uint64_t i) {
  using namespace warpgrade::problem;
  const std::uint64_t bits = random_bits(seed, array + 1, i);
  const std::int32_t value = drawn(bits), magnitude = value < 0 ? -value : value;
  return bits_of(static_cast<std::int64_t>((bits >> 32) % 100) < negative ? -magnitude : magnitude);
}

}  // namespace
