#include "problem/tiled.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpgrade::problem {

const std::vector<Integer> &Tiled::integers() const {
  static const std::vector<Integer> known = {
      {"n", 1, 32768},
      {.name = "block", .least = 16, .most = 32, .otherwise = 32, .size = false},
      {.name = "transposed", .least = 0, .most = 1, .otherwise = 0, .size = false}};
  return known;
}

const std::vector<Real> &Tiled::reals() const {
  static const std::vector<Real> none;
  return none;
}

std::string Tiled::case_name(const Case &c) const {
  return fmt::format("n={} block={} transposed={}", c.integers.at(0), c.integers.at(1), c.integers.at(2));
}

MatrixProduct Tiled::shape(const Case &c) const {
  const std::int64_t n = c.integers.at(0);
  MatrixProduct p;
  p.m = p.n = p.k = n;
  p.a = row_major(n, n, fill_a), p.b = row_major(n, n, fill_b), p.c = row_major(n, n, fill_c);
  if (c.integers.at(2) != 0) std::swap(p.b.row_stride, p.b.column_stride);
  return p;
}

}  // namespace warpgrade::problem
