// tiled: C = A B or C = A B' for square matrices, row-major, with the width of a tile as an argument.
#include <fmt/format.h>

#include <utility>

#include "problem/matrix_problem.hpp"

using namespace warpgrade::problem;

namespace {

/// Sizes n; block: the width of a tile, 16 or 32; transposed: 1 for A B'.
class Tiled final : public MatrixProblem {
 public:
  std::string_view name() const override { return "tiled"; }
  std::string_view launcher() const override {
    return "int n, int block, int transposed, const float *A, const float *B, float *C";
  }
  const std::vector<Integer> &integers() const override {
    static const std::vector<Integer> known = {
        {"n", 1, 32768},
        {.name = "block", .least = 16, .most = 32, .otherwise = 32, .size = false},
        {.name = "transposed", .least = 0, .most = 1, .otherwise = 0, .size = false}};
    return known;
  }
  std::string case_name(const Case &c) const override {
    return fmt::format("n={} block={} transposed={}", c.integers.at(0), c.integers.at(1), c.integers.at(2));
  }

 protected:
  MatrixProduct shape(const Case &c) const override {
    const std::int64_t n = c.integers.at(0);
    MatrixProduct p;
    p.m = p.n = p.k = n;
    p.a = row_major(n, n, fill_a), p.b = row_major(n, n, fill_b), p.c = row_major(n, n, fill_c);
    if (c.integers.at(2) != 0) std::swap(p.b.row_stride, p.b.column_stride);
    return p;
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Tiled())
