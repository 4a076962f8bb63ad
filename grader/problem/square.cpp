#include "problem/square.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpgrade::problem {

std::string_view Square::name() const {
  switch (kind_) {
    case Kind::by_rows:
      return "square";
    case Kind::by_columns:
      return "square_by_columns";
    case Kind::coarsened:
      break;
  }
  return "square_coarsened";
}

const std::vector<Integer> &Square::integers() const {
  static const std::vector<Integer> size = {{"n", 1, 32768}}, with_factor = {{"n", 1, 32768},
                                                                             {.name = "factor",
                                                                              .least = 1,
                                                                              .most = 8,
                                                                              .otherwise = 4,
                                                                              .size = false}};
  return kind_ == Kind::coarsened ? with_factor : size;
}

const std::vector<Real> &Square::reals() const {
  static const std::vector<Real> none;
  return none;
}

std::string Square::case_name(const Case &c) const {
  const std::string size = fmt::format("n={}", c.integers.at(0));
  return kind_ == Kind::coarsened ? fmt::format("{} factor={}", size, c.integers.at(1)) : size;
}

MatrixProduct Square::shape(const Case &c) const {
  const std::int64_t n = c.integers.at(0);
  MatrixProduct p;
  p.m = p.n = p.k = n;
  p.a = row_major(n, n, fill_a), p.b = row_major(n, n, fill_b), p.c = row_major(n, n, fill_c);
  if (kind_ == Kind::by_columns) std::swap(p.b.row_stride, p.b.column_stride);
  return p;
}

}  // namespace warpgrade::problem
