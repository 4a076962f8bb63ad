// hgemm: C = alpha A B + beta C, row-major and contiguous, with A and B in half precision and C in single
// precision.
#include <fmt/format.h>

#include "problem/matrix_problem.hpp"

using namespace warpgrade::problem;

namespace {

constexpr std::int64_t largest_size = 1 << 20;  // per dimension; memory is what limits a case in practice

class Hgemm final : public MatrixProblem {
 public:
  std::string_view name() const override { return "hgemm"; }
  std::string_view launcher() const override {
    return "int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C";
  }
  bool on_tensor_cores() const override { return true; }
  const std::vector<Integer> &integers() const override {
    static const std::vector<Integer> names = {
        {"m", 1, largest_size}, {"n", 1, largest_size}, {"k", 1, largest_size}};
    return names;
  }
  const std::vector<Real> &reals() const override {
    static const std::vector<Real> names = {{"alpha", 1.0}, {"beta", 0.0}};
    return names;
  }
  std::string case_name(const Case &c) const override {
    const MatrixProduct p = shape(c);
    std::string name = p.m == p.n && p.n == p.k ? fmt::format("m=n=k={}", p.m)
                                                : fmt::format("m={} n={} k={}", p.m, p.n, p.k);
    const double alpha = c.reals.at(0), beta = c.reals.at(1);
    if (alpha != 1.0 || beta != 0.0) name += fmt::format(" alpha={:g} beta={:g}", alpha, beta);
    return name;
  }

 protected:
  MatrixProduct shape(const Case &c) const override {
    const std::int64_t m = c.integers.at(0), n = c.integers.at(1), k = c.integers.at(2);
    MatrixProduct p;
    p.m = m, p.n = n, p.k = k;
    p.alpha = static_cast<float>(c.reals.at(0)), p.beta = static_cast<float>(c.reals.at(1));
    p.a = row_major(m, k, fill_half_a), p.b = row_major(k, n, fill_half_b), p.c = row_major(m, n, fill_c);
    return p;
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Hgemm())
