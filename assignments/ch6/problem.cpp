// square, square_by_columns, square_coarsened: P = M N for square matrices; M and P are row-major, N
// row-major or column-major; coarsened: with a coarsening factor as an argument. exercise: the arrays of an
// exercise on access patterns, in which every thread copies, adds up and scatters.
#include <fmt/format.h>

#include <utility>

#include "problem/arrays.hpp"
#include "problem/matrix_problem.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

/// Sizes n; for the coarsened problem also factor: 1, 2, 4 or 8 neighbouring tiles per block.
class Square final : public MatrixProblem {
 public:
  enum class Kind : std::uint8_t { by_rows, by_columns, coarsened };
  explicit Square(Kind kind) : kind_(kind) {}

  std::string_view name() const override {
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
  std::string_view launcher() const override {
    return kind_ == Kind::coarsened ? "int n, int factor, const float *M, const float *N, float *P"
                                    : "int n, const float *M, const float *N, float *P";
  }
  const std::vector<Integer> &integers() const override {
    static const std::vector<Integer> size = {{"n", 1, 32768}}, with_factor = {{"n", 1, 32768},
                                                                               {.name = "factor",
                                                                                .least = 1,
                                                                                .most = 8,
                                                                                .otherwise = 4,
                                                                                .size = false}};
    return kind_ == Kind::coarsened ? with_factor : size;
  }
  std::string case_name(const Case &c) const override {
    const std::string size = fmt::format("n={}", c.integers.at(0));
    return kind_ == Kind::coarsened ? fmt::format("{} factor={}", size, c.integers.at(1)) : size;
  }

 protected:
  MatrixProduct shape(const Case &c) const override {
    const std::int64_t n = c.integers.at(0);
    MatrixProduct p;
    p.m = p.n = p.k = n;
    p.a = row_major(n, n, fill_a), p.b = row_major(n, n, fill_b), p.c = row_major(n, n, fill_c);
    if (kind_ == Kind::by_columns) std::swap(p.b.row_stride, p.b.column_stride);
    return p;
  }
  std::array<char, 3> names() const override { return {'M', 'N', 'P'}; }

 private:
  Kind kind_;
};

constexpr std::int64_t threads = 256, shift = 8, spread = 8, terms = 4;

/// With blocks of 256 threads, of which thread t of block g is number i = 256 g + t:
///
///     d[i + 8] = a[i]
///     e[8 i] = b[j n + q] + c[4 q + j]     for j = 4 t / 256, q = 256 g + 4 t % 256
///
/// Nothing else of d (n + 8 elements) and e (8 n) may change. Size n, a multiple of 256.
class Exercise final : public ArrayProblem {
 public:
  Exercise()
      : ArrayProblem({.name = "exercise",
                      .launcher = "int n, const float *a, const float *b, const float *c, float *d, float *e",
                      .integers = {{"n", threads, 1 << 20}}}) {}
  /// a, b and c are read once, and the elements of d and e that change are written.
  double compulsory_bytes(const Case &c) const override {
    return 4.0 * static_cast<double>(c.integers.at(0) * (1 + 2 * terms + 2));
  }

  Reference reference(const Case &c, const std::vector<run::HostBuffer> &inputs) const override {
    const std::int64_t n = c.integers.at(0);
    const auto a = inputs.at(0).as<float>(), b = inputs.at(1).as<float>(), of_c = inputs.at(2).as<float>();
    Reference ref;
    for (const float old : inputs.at(3).as<float>()) ref.want.push_back(old);
    for (const float old : inputs.at(4).as<float>()) ref.want.push_back(old);
    const std::int64_t e = n + shift;  // where its elements begin
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t block = i / threads, t = i % threads;
      const std::int64_t j = terms * t / threads, q = block * threads + terms * t % threads;
      ref.want[static_cast<std::size_t>(i + shift)] = a[static_cast<std::size_t>(i)];
      // One rounding, which is the same everywhere.
      const float sum =
          b[static_cast<std::size_t>(j * n + q)] + of_c[static_cast<std::size_t>(terms * q + j)];
      ref.want[static_cast<std::size_t>(e + spread * i)] = sum;
    }
    ref.scale.assign(ref.want.size(), 0.0);
    return ref;
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const auto n = static_cast<std::uint64_t>(c.integers.at(0));
    return {{.name = "a", .elements = n},
            {.name = "b", .elements = terms * n},
            {.name = "c", .elements = terms * n},
            {.name = "d", .elements = n + shift, .is_output = true},
            {.name = "e", .elements = spread * n, .is_output = true}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return bits_of(awkward_float(random_bits(seed, array + 1, i), 1, 4));
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Square(Square::Kind::by_rows), Square(Square::Kind::by_columns),
                   Square(Square::Kind::coarsened), Exercise())
