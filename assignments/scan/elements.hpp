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

/// Of n elements: in growing order, or all alike.
struct Order {
  std::int64_t n = 0;
  bool sorted = false, equal = false;
};

constexpr std::uint64_t element_of_scan(const Order &order, std::uint64_t seed, std::uint64_t array,
                                        std::uint64_t i) {
  using namespace warpgrade::problem;
  if (array == 0 && order.equal) return bits_of(std::int32_t{77});
  if (array == 0 && order.sorted) {
    const auto nth = static_cast<std::int32_t>(i * 200 / static_cast<std::uint64_t>(order.n));
    return bits_of(nth < 100 ? nth - 100 : nth - 99);
  }
  return bits_of(drawn(random_bits(seed, array + 1, i)));
}

/// negative: how many of a hundred are; if sorted, the first ones
constexpr std::uint64_t element_of_compact(std::int64_t negative, const Order &order, std::uint64_t seed,
                                           std::uint64_t array, std::uint64_t i) {
  using namespace warpgrade::problem;
  if (array == 0 && order.sorted) {
    const auto here = static_cast<std::int64_t>(i), first = order.n * negative / 100;
    const std::int64_t magnitude = 1 + (here < first ? first - here : here - first) * 100 / order.n;
    return bits_of(static_cast<std::int32_t>(here < first ? -magnitude : magnitude));
  }
  const std::uint64_t bits = random_bits(seed, array + 1, i);
  const std::int32_t value = drawn(bits), magnitude = value < 0 ? -value : value;
  const std::int32_t size = array == 0 && order.equal ? 77 : magnitude;
  return bits_of(static_cast<std::int64_t>((bits >> 32) % 100) < negative ? -size : size);
}

}  // namespace
