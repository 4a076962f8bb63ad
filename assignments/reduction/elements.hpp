// The numbers of sum and argmin, which the host and a GPU draw alike.
#pragma once

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace {

constexpr std::int64_t most_eighths = std::int64_t{1} << 21;

/// Which numbers a case has, in the order in which they count: the case's integers after n (and exact).
enum class Order : std::uint8_t { any, growing, falling, equal };
constexpr Order order_of(std::int64_t sorted, std::int64_t equal) {
  return equal == 1 ? Order::equal : sorted == 1 ? Order::growing : sorted == 2 ? Order::falling : Order::any;
}

/// Element i of n as one of `values` numbers from 0 on, each about as often.
constexpr int in_order(Order order, std::int64_t n, std::uint64_t i, std::uint64_t values) {
  const auto all = static_cast<std::uint64_t>(n), place = order == Order::falling ? all - 1 - i : i;
  return static_cast<int>(place * values / all);
}

/// order: of exact numbers
constexpr std::uint64_t element_of_sum(std::int64_t n, bool exact, Order order, std::uint64_t seed,
                                       std::uint64_t array, std::uint64_t i) {
  using namespace warpgrade::problem;
  if (array == 1 || !exact) return awkward_element(seed, array, i);
  const std::uint64_t bits = random_bits(seed, array + 1, i);
  // No zeros: an element that is left out or counted twice must change the sum.
  const bool whole = n > most_eighths;
  if (order == Order::equal) return bits_of(static_cast<float>(whole ? 8 : 5) / 8);
  if (order != Order::any) {
    const int nth = in_order(order, n, i, 16), eighths = nth < 8 ? nth - 8 : nth - 7;
    return bits_of(static_cast<float>(!whole ? eighths : eighths < 0 ? -8 : 8) / 8);
  }
  const int eighths = whole ? 8 : 1 + static_cast<int>(bits >> 40 & 7);
  return bits_of(static_cast<float>(bits >> 63 ? -eighths : eighths) / 8);
}

constexpr std::uint64_t element_of_argmin(std::int64_t n, Order order, std::uint64_t seed,
                                          std::uint64_t array, std::uint64_t i) {
  using namespace warpgrade::problem;
  const std::uint64_t bits = random_bits(seed, array + 1, i);
  if (array == 1) return bits & 0x7fffffff;
  if (order == Order::equal) return bits_of(-2.5f);
  const int nth = order == Order::any ? static_cast<int>(bits >> 56) : in_order(order, n, i, 256);
  return bits_of(static_cast<float>(nth) / 16 - 8);
}

}  // namespace
