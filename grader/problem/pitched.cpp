#include "problem/pitched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpgrade::problem {

namespace {

struct PitchedNumbers {
  std::int64_t n, m, p, pitch, grid_x, grid_y, block_x, block_y;
};
PitchedNumbers pitched_numbers(const Case &c) {
  const auto &i = c.integers;
  return {i.at(0), i.at(1), i.at(2), i.at(3), i.at(4), i.at(5), i.at(6), i.at(7)};
}

struct Pitches {
  std::int64_t a, b, c;
};
Pitches pitches(const PitchedNumbers &x, bool transposed) {
  const std::int64_t of_b = std::max(x.pitch, x.n);
  return transposed ? Pitches{std::max(x.pitch, x.m), of_b, std::max(x.pitch, x.m)}
                    : Pitches{std::max(x.pitch, x.n), of_b, std::max(x.pitch, x.p)};
}

/// The same elements with rows for columns.
Matrix transpose(Matrix x) {
  std::swap(x.row_stride, x.column_stride);
  return x;
}

}  // namespace

const std::vector<Integer> &Pitched::integers() const {
  constexpr std::int64_t largest = 32768;  // offsets of such arrays fit an int, as the kernel takes them
  static const std::vector<Integer> known = {
      {"n", 1, largest},
      {"m", 1, largest},
      {"p", 1, largest},
      {.name = "pitch", .least = 0, .most = 2 * largest, .otherwise = 0, .size = false},
      {.name = "grid_x", .least = 1, .most = 2147483647, .size = false},
      {.name = "grid_y", .least = 1, .most = 65535, .size = false},
      {.name = "block_x", .least = 1, .most = 1024, .otherwise = 32, .size = false},
      {.name = "block_y", .least = 1, .most = 1024, .otherwise = 1, .size = false}};
  return known;
}

const std::vector<Real> &Pitched::reals() const {
  static const std::vector<Real> none;
  return none;
}

/// Without the geometry, which belongs to the kernel.
std::string Pitched::case_name(const Case &c) const {
  const PitchedNumbers x = pitched_numbers(c);
  std::string name =
      x.n == x.m && x.m == x.p ? fmt::format("n=m=p={}", x.n) : fmt::format("n={} m={} p={}", x.n, x.m, x.p);
  if (x.pitch > 0) name += fmt::format(" pitch={}", x.pitch);
  return name;
}

std::vector<std::int64_t> Pitched::arguments(const Case &c) const {
  const PitchedNumbers x = pitched_numbers(c);
  const Pitches pitch = pitches(x, transposed_);
  return {x.n, x.m, x.p, pitch.a, pitch.b, pitch.c, x.grid_x, x.grid_y, x.block_x, x.block_y};
}

MatrixProduct Pitched::shape(const Case &c) const {
  const PitchedNumbers x = pitched_numbers(c);
  const Pitches pitch = pitches(x, transposed_);
  MatrixProduct product;
  product.m = x.n, product.n = x.m, product.k = x.p;
  product.a = column_major(pitch.b, x.p, fill_a);
  product.b =
      transposed_ ? transpose(column_major(pitch.c, x.p, fill_b)) : column_major(pitch.c, x.m, fill_b);
  product.c =
      transposed_ ? transpose(column_major(pitch.a, x.n, fill_c)) : column_major(pitch.a, x.m, fill_c);
  return product;
}

}  // namespace warpgrade::problem
