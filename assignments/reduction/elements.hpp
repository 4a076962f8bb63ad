// The numbers of sum and argmin, which the host and a GPU draw alike.
#pragma once

#include <algorithm>

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

/// What is added up: each element, its square, its magnitude, or the elements with signs in turn.
enum class Term : std::uint8_t { element, square, magnitude, alternating };

/// The numbers of the variants of sum. Every sum of their terms is a multiple of the unit and less than the
/// number of units that the type holds, so additions do not round.
///   float   as element_of_sum; squares of halves from 2^18 elements on, and of 1 or -1 from 2^22 on
///   double  the same and a part that a float does not hold, so an addition in floats is noticed
///   int     up to 2^30 in all, so an addition in floats is noticed too
constexpr std::uint64_t element_of_variant(std::int64_t n, bool exact, Order order, Term term,
                                           warpgrade::problem::Type type, std::uint64_t seed,
                                           std::uint64_t array, std::uint64_t i) {
  using namespace warpgrade::problem;
  const std::uint64_t bits = random_bits(seed, array + 1, i);
  const bool square = term == Term::square;
  const int nth = order == Order::any || order == Order::equal ? 0 : in_order(order, n, i, 16);
  // From -8 to 8 without 0: an element that is left out or counted twice must change the sum.
  int eighths = order == Order::equal ? 5
                : order == Order::any ? (bits >> 63 ? -1 : 1) * (1 + static_cast<int>(bits >> 40 & 7))
                : nth < 8             ? nth - 8
                                      : nth - 7;
  if (type == Type::i32) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    std::int64_t eighth = std::max<std::int64_t>(1, most / 8 / std::max<std::int64_t>(n, 1));
    if (square)
      for (eighth = std::int64_t{1} << 12; 64 * eighth * eighth * n > most && eighth > 1;) eighth /= 2;
    if (array == 1) return bits & 0x3fffffff;
    const auto odd = order == Order::any ? static_cast<std::int64_t>(bits >> 8 & 0xffffffff) % eighth : 0;
    return bits_of(static_cast<std::int32_t>(eighths * eighth + (eighths < 0 ? odd : -odd)));
  }
  constexpr std::int64_t most_squares = std::int64_t{1} << 18, most_halves = std::int64_t{1} << 22;
  const bool whole = n > (square ? most_halves : most_eighths), halves = square && n > most_squares;
  if (whole)
    eighths = eighths < 0 ? -8 : 8;
  else if (halves)
    eighths = (eighths < 0 ? -1 : 1) * (eighths % 2 == 0 ? 8 : 4);
  if (type == Type::f32)
    return array == 1 || !exact ? awkward_element(seed, array, i) : bits_of(static_cast<float>(eighths) / 8);
  // Of a double: squares have at most 26 bits behind the point, and so have the elements themselves else.
  const double least = square ? 0x1p-13 : 0x1p-26;
  const auto more = static_cast<double>(bits >> 8 & (square ? 0x3ff : 0x7fffff)) * least;
  if (array == 1) return bits_of(0.5 + more);
  if (!exact) return bits_of((bits >> 63 ? -1 : 1) * (0.5 + static_cast<double>(bits >> 12) * 0x1p-53));
  const double value = static_cast<double>(eighths) / 8;
  if (order != Order::any) return bits_of(value + (value < 0 ? least : -least));
  return bits_of(value < 0 ? value + more : value - more);
}

/// The numbers of the variants of argmin, smallest and largest ones in several places. Some doubles differ by
/// less than a float shows.
constexpr std::uint64_t element_of_place(std::int64_t n, Order order, warpgrade::problem::Type type,
                                         std::uint64_t seed, std::uint64_t array, std::uint64_t i) {
  using namespace warpgrade::problem;
  if (type == Type::f32 || array == 1) return element_of_argmin(n, order, seed, array, i);
  const std::uint64_t bits = random_bits(seed, array + 1, i);
  const int nth = order == Order::equal ? 88
                  : order == Order::any ? static_cast<int>(bits >> 56)
                                        : in_order(order, n, i, 256);
  // A float does not hold odd numbers of 25 bits.
  if (type == Type::i32)
    return bits_of(static_cast<std::int32_t>((nth - 128) * (1 << 20) +
                                             static_cast<int>(order == Order::any ? bits & 1 : 0)));
  const double little = order == Order::any && (bits & 1) != 0 ? 0x1p-40 : 0;
  return bits_of(static_cast<double>(nth) / 16 - 8 + little);
}

}  // namespace
