#include "problem/gemm.hpp"

#include <fmt/format.h>

namespace warpgrade::problem {

const std::vector<Integer> &GemmProblem::integers() const {
  constexpr std::int64_t largest_size = 1 << 20;  // memory is what limits a case in practice
  static const std::vector<Integer> names = {
      {"m", 1, largest_size}, {"n", 1, largest_size}, {"k", 1, largest_size}};
  return names;
}

const std::vector<Real> &GemmProblem::reals() const {
  static const std::vector<Real> names = {{"alpha", 1.0}, {"beta", 0.0}};
  return names;
}

std::string GemmProblem::case_name(const Case &c) const {
  const std::int64_t m = c.integers.at(0), n = c.integers.at(1), k = c.integers.at(2);
  std::string name = m == n && n == k ? fmt::format("m=n=k={}", m) : fmt::format("m={} n={} k={}", m, n, k);
  const double alpha = c.reals.at(0), beta = c.reals.at(1);
  if (alpha != 1.0 || beta != 0.0) name += fmt::format(" alpha={:g} beta={:g}", alpha, beta);
  return name;
}

MatrixProduct GemmProblem::shape(const Case &c) const {
  const std::int64_t m = c.integers.at(0), n = c.integers.at(1), k = c.integers.at(2);
  MatrixProduct p;
  p.m = m, p.n = n, p.k = k;
  p.alpha = static_cast<float>(c.reals.at(0)), p.beta = static_cast<float>(c.reals.at(1));
  p.a = row_major(m, k, a_), p.b = row_major(k, n, b_), p.c = row_major(m, n, fill_c);
  return p;
}

}  // namespace warpgrade::problem
