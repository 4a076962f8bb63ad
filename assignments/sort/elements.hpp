// The keys and values of sort, which the host and a GPU draw alike.
#pragma once

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace {

/// What is drawn, from the integers of a case: n, and at most one of the others 1.
struct Drawn {
  std::uint64_t n = 0;
  bool sorted = false, reversed = false, equal = false, top = false, extremes = false;

  static constexpr Drawn of(const std::int64_t *integers) {
    const auto is = [&](int i) { return integers[i] == 1; };
    return {static_cast<std::uint64_t>(integers[0]), is(1), is(2), is(3), is(4), is(5)};
  }
};

/// Keys in growing order, three of each.
constexpr std::uint32_t growing_key(std::uint64_t n, std::uint64_t i) {
  return static_cast<std::uint32_t>((i / 3 * 3 << 32) / n);
}

constexpr std::uint32_t key_of(const Drawn &drawn, std::uint64_t seed, std::uint64_t i) {
  using namespace warpgrade::problem;
  const std::uint64_t bits = random_bits(seed, 1, i);
  const auto word = static_cast<std::uint32_t>(bits);
  if (drawn.equal) return 0x9e3779b9;
  if (drawn.sorted) return growing_key(drawn.n, i);
  if (drawn.reversed) return growing_key(drawn.n, drawn.n - 1 - i);
  if (drawn.top) return word << 28 | 0x0bad5ee;  // only the upper four bits differ
  if (drawn.extremes) return (bits & 1) == 1 ? 0xffffffff : 0;
  // A quarter of the keys are one of 16, so that there are equal ones.
  const bool common = bits >> 62 == 0;
  return common ? static_cast<std::uint32_t>(random_bits(seed, 99, word & 15)) : word;
}

constexpr std::uint64_t element_of_sort(const Drawn &drawn, std::uint64_t seed, std::uint64_t array,
                                        std::uint64_t i) {
  using namespace warpgrade::problem;
  if (array == 0) return bits_of(key_of(drawn, seed, i));
  return bits_of(static_cast<std::uint32_t>(random_bits(seed, array + 1, i)));
}

}  // namespace
