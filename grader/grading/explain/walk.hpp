// The paths of threads through the matrices of a call: the requests of a traced block as elements and tiles,
// to draw. Takes a trace; returns rows and columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "counters/sample.hpp"

namespace warpgrade::explain {

struct Element {
  std::int64_t row = 0, col = 0;
  auto operator<=>(const Element &) const = default;
};

/// Selects requests of a trace.
struct Walk {
  std::string buffer;       ///< of global memory: "A"
  bool store = false;       ///< else loads
  std::int64_t pitch = 1;   ///< elements of 4 bytes from one row of the matrix to the next
  bool by_columns = false;  ///< from one column to the next
};

/// The elements that one thread touches, in order, each as often as it is touched.
std::vector<Element> path_of(const std::vector<simt::TracedRequest> &, const Walk &, std::uint32_t warp,
                             int lane);

/// The first of these requests that a warp made; nothing if it made none.
const simt::TracedRequest *first_request(const std::vector<simt::TracedRequest> &, const Walk &,
                                         std::uint32_t warp);

/// What the block touched between two barriers: the box around it.
struct Tile {
  std::uint64_t phase = 0;
  Element first, last;  ///< corners, both within
  bool filled = false;  ///< every element of the box was touched
  std::int64_t rows() const { return last.row - first.row + 1; }
  std::int64_t cols() const { return last.col - first.col + 1; }
  bool operator==(const Tile &) const = default;
};
/// Ascending phases; those without such a request are left out.
std::vector<Tile> tiles_of(const std::vector<simt::TracedRequest> &, const Walk &);

/// Words of shared memory that one thread loads.
std::uint64_t shared_words_loaded(const std::vector<simt::TracedRequest> &, std::uint32_t warp, int lane);

}  // namespace warpgrade::explain
