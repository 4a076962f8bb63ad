// The numbers of sparse matrices, which the host and a GPU draw alike. Where rows begin, one thread draws.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace {

constexpr std::int64_t most_entries = std::int64_t{1} << 28;
constexpr std::int64_t most_in_64ths = std::int64_t{1} << 18;  // so many products of eighths add up exactly

constexpr std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// What random numbers are drawn for, besides one stream for each array.
enum Stream : std::uint64_t { row_length = 100, row_order = 101, entry_order = 102 };

/// A random order of 0 ... count - 1.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, Stream stream) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[warpgrade::problem::random_bits(seed, stream, i) % i]);
  return order;
}

/// The column of entry k of a row with `length` entries: one drawn from each of `length` equal parts of the
/// columns, so that columns ascend and no entry is there twice.
constexpr std::int32_t column_of(std::uint64_t bits, std::int64_t k, std::int64_t length,
                                 std::int64_t columns) {
  const std::int64_t first = k * columns / length, end = (k + 1) * columns / length;
  return static_cast<std::int32_t>(first + static_cast<std::int64_t>((bits >> 32) % index(end - first)));
}

/// The numbers of a case that the formats share.
struct Kind {
  bool equal = false;       ///< all values are equal, and all elements of x
  bool cancelling = false;  ///< the products of a row nearly cancel each other
  bool exact = true;        ///< no order of additions rounds
};

/// An element of value (array 0), x (1) or y before the run (2). pair: the same bits for two neighbours in a
/// row, of which the second one has `negative`.
constexpr std::uint64_t number(const Kind &k, std::int64_t columns, std::size_t array, std::uint64_t bits,
                               std::uint64_t pair, bool negative) {
  using namespace warpgrade::problem;
  if (array == 2) return bits_of(awkward_float(bits, 1, 4));
  if (k.equal) return bits_of(array == 0 ? 0.5f : -0.75f);
  if (k.cancelling) {
    const float drawn = awkward_float(pair, 1, 4), size = drawn < 0 ? -drawn : drawn;
    return bits_of(array == 0 ? (negative ? -size : size)
                              : 0.75f + static_cast<float>(bits >> 52) * 0x1p-24f);
  }
  if (!k.exact) return bits_of(awkward_float(bits, 1, 4));
  // No zeros: an entry that is left out or added twice must change the sum.
  const int eighths = columns > most_in_64ths ? 8 : 1 + static_cast<int>(bits >> 40 & 7);
  return bits_of(static_cast<float>(bits >> 63 ? -eighths : eighths) / 8);
}

/// The sizes of a matrix whose entries are listed, from the integers of a case.
struct Listing {
  std::int64_t rows = 0, columns = 0, entries = 0;
  bool power_law = false, dense_row = false;
  Kind kind;
  /// No matrix has more entries than places.
  static constexpr Listing of(const std::int64_t *integers) {
    const std::int64_t places = integers[0] * integers[1];
    return {integers[0],
            integers[1],
            integers[2] < places ? integers[2] : places,
            integers[3] == 1,
            integers[4] == 1,
            {integers[5] == 1, integers[6] == 1, integers[6] == 0 && integers[7] == 1}};
  }
};

std::vector<double> shares(const Listing &l, std::uint64_t seed) {
  std::vector<double> share(index(l.rows));
  const std::vector<std::size_t> order = shuffled(share.size(), seed, row_order);
  for (std::size_t i = 0; i < share.size(); ++i) {
    const std::uint64_t bits = warpgrade::problem::random_bits(seed, row_length, i);
    if (l.power_law)
      share[order[i]] = 1.0 / static_cast<double>(i + 1);
    else if (l.dense_row)
      share[order[i]] = i == 0 ? static_cast<double>(most_entries) : 1.0;
    else
      share[i] = bits % 8 == 0 ? 0.0 : std::ldexp(static_cast<double>(bits >> 11), -53);
  }
  return share;
}

/// Where the entries of each row begin, and behind the last one, where they end.
std::vector<std::int64_t> starts(const Listing &l, std::uint64_t seed) {
  const std::vector<double> share = shares(l, seed);
  const double all = std::accumulate(share.begin(), share.end(), 0.0);
  std::vector<std::size_t> order = shuffled(share.size(), seed, row_order);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return share[a] > share[b]; });
  std::vector<std::int64_t> start(share.size() + 1);
  std::int64_t left = l.entries;
  for (std::size_t r = 0; r < share.size() && all > 0; ++r) {
    const double exactly = static_cast<double>(l.entries) * share[r] / all;
    start[r + 1] = std::min({static_cast<std::int64_t>(exactly), l.columns, left});
    left -= start[r + 1];
  }
  while (left > 0)  // what rounding and full rows leave: the rows with the largest shares come first
    for (std::size_t i = 0; i < order.size() && left > 0; ++i)
      if (start[order[i] + 1] < l.columns) {
        ++start[order[i] + 1];
        --left;
      }
  std::partial_sum(start.begin(), start.end(), start.begin());
  return start;
}

}  // namespace
