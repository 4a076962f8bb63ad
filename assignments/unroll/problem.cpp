// pitched, pitched_transposed: a = b c in single precision, column-major with gaps between the columns. The
// launch geometry is part of a case, since it comes from outside the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "problem/matrix_problem.hpp"

using namespace warpgrade::problem;

namespace {

struct Numbers {
  std::int64_t n, m, p, pitch, grid_x, grid_y, block_x, block_y;
};
Numbers numbers(const Case &c) {
  const auto &i = c.integers;
  return {i.at(0), i.at(1), i.at(2), i.at(3), i.at(4), i.at(5), i.at(6), i.at(7)};
}

struct Pitches {
  std::int64_t a, b, c;
};
Pitches pitches(const Numbers &x, bool transposed) {
  const std::int64_t of_b = std::max(x.pitch, x.n);
  return transposed ? Pitches{std::max(x.pitch, x.m), of_b, std::max(x.pitch, x.m)}
                    : Pitches{std::max(x.pitch, x.n), of_b, std::max(x.pitch, x.p)};
}

/// The same elements with rows for columns.
Matrix transpose(Matrix x) {
  std::swap(x.row_stride, x.column_stride);
  return x;
}

/// a is n x m, b n x p, c p x m. Columns start `pitch` floats apart, or as many as they have elements if that
/// is more. Transposed: the element a[i, j] is in row j of column i, and c[k, j] in row j of column k.
class Pitched final : public MatrixProblem {
 public:
  explicit Pitched(bool transposed) : transposed_(transposed) {}
  std::string_view name() const override { return transposed_ ? "pitched_transposed" : "pitched"; }
  std::string_view launcher() const override {
    return "int n, int m, int p, int pitch_a, int pitch_b, int pitch_c, int grid_x, int grid_y, int block_x, "
           "int block_y, float *a, float *b, float *c";
  }
  const std::vector<Integer> &integers() const override {
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
  /// Without the geometry, which belongs to the kernel.
  std::string case_name(const Case &c) const override {
    const Numbers x = numbers(c);
    std::string name = x.n == x.m && x.m == x.p ? fmt::format("n=m=p={}", x.n)
                                                : fmt::format("n={} m={} p={}", x.n, x.m, x.p);
    if (x.pitch > 0) name += fmt::format(" pitch={}", x.pitch);
    return name;
  }
  std::vector<std::int64_t> arguments(const Case &c) const override {
    const Numbers x = numbers(c);
    const Pitches pitch = pitches(x, transposed_);
    return {x.n, x.m, x.p, pitch.a, pitch.b, pitch.c, x.grid_x, x.grid_y, x.block_x, x.block_y};
  }

 protected:
  MatrixProduct shape(const Case &c) const override {
    const Numbers x = numbers(c);
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
  std::array<char, 3> names() const override { return {'b', 'c', 'a'}; }

 private:
  bool transposed_;
};

}  // namespace

WARPGRADE_PROBLEMS(Pitched(false), Pitched(true))
