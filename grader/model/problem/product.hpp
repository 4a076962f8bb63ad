// A matrix product as numbers: where the elements are, how they are drawn, what a spot check compares. The
// host and a GPU's kernels share these functions, so that both generate the same inputs and judge by the same
// bounds.
#pragma once

#include <cmath>
#include <cstdint>

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace warpgrade::problem {

/// How the elements of a buffer are drawn from a seed, and how they are stored.
struct Fill {
  std::uint64_t stream = 0;  ///< buffers of one problem have different ones
  int nearest = 3,
      farthest = 4;  ///< of awkward_float(), awkward_half() or, as least and most, sixteenths_in_8_bits()
  Type type = Type::f32;  ///< f32, f16 or e4m3

  constexpr std::uint64_t key(std::uint64_t seed) const { return mix(seed ^ (stream * 0xd1342543de82ef95u)); }
  /// The bits of element i for key(seed): bytes_of(type) bytes of them.
  constexpr std::uint32_t bits(std::uint64_t key_of_seed, std::uint64_t i) const {
    const std::uint64_t random = mix(key_of_seed + i);
    if (type == Type::f16) return awkward_half(random, nearest, farthest);
    if (type == Type::e4m3) return sixteenths_in_8_bits(random, nearest, farthest);
    return std::bit_cast<std::uint32_t>(awkward_float(random, nearest, farthest));
  }
};

/// A matrix in a buffer of its own: element (i, j) is at i * row_stride + j * column_stride.
struct Matrix {
  std::uint64_t elements = 0;  ///< of the buffer
  std::int64_t row_stride = 0, column_stride = 1;
  Fill fill;
  constexpr std::int64_t at(std::int64_t i, std::int64_t j) const {
    return i * row_stride + j * column_stride;
  }
  /// Of the buffer.
  constexpr std::uint64_t bytes() const { return elements * bytes_of(fill.type); }
};

/// What is done to each element of alpha A B + beta C before it is stored. It never increases the difference of two
/// numbers, so the tolerance of the sum serves the result.
enum class Finish : std::uint8_t {
  none,
  positive_part,  ///< max(0, x), also called ReLU
  magnitude,
};
constexpr double finished(Finish finish, double x) {
  if (finish == Finish::none) return x;
  return x > 0 ? x : finish == Finish::magnitude ? -x : 0;
}

/// C = finished(alpha A B + beta C); A is m x k, B k x n, C m x n, and these are the problem's buffers in this
/// order. A and B are only read. They have the same type, f32, f16 or e4m3; C is f32. cuBLAS leaves `finish` out.
///
/// `batch` such products of equal size are one: their A lie one below the other, and so do their B and their C.
/// m counts the rows of all A, k those of one B.
struct MatrixProduct {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t batch = 1;  ///< divides m
  float alpha = 1, beta = 0;
  Matrix a, b, c;
  char names[3] = {'A', 'B', 'C'};  ///< what the launcher calls them
  Finish finish = Finish::none;
  bool scaled = false;      ///< the launcher's alpha multiplies C as well: beta is a multiple of it
  bool subtracted = false;  ///< beta is minus the launcher's

  constexpr std::int64_t rows_of_b() const { return batch * k; }  ///< of all B
  /// Row q of the B by which row i of A is multiplied.
  constexpr std::int64_t row_of_b(std::int64_t i, std::int64_t q) const {
    return batch == 1 ? q : i / (m / batch) * k + q;
  }
};

/// The sign that column j has in the sums over rows.
constexpr double sign_of_column(std::uint64_t seed, std::int64_t j) {
  return random_bits(seed, 7, static_cast<std::uint64_t>(j)) >> 63 ? 1.0 : -1.0;
}

struct Cell {
  std::int64_t row = 0, column = 0;
};

/// Cell t of a spot check. Corners and borders first, because kernels go wrong there; then anywhere.
constexpr Cell sampled_cell(std::uint64_t seed, int t, std::int64_t m, std::int64_t n) {
  const std::uint64_t bits = random_bits(seed, 8, static_cast<std::uint64_t>(t));
  Cell cell{static_cast<std::int64_t>((bits >> 32) % static_cast<std::uint64_t>(m)),
            static_cast<std::int64_t>((bits & 0xffffffffu) % static_cast<std::uint64_t>(n))};
  if (t % 4 == 1 || t == 3) cell.row = m - 1;
  if (t % 4 == 2 || t == 3) cell.column = n - 1;
  return cell;
}

/// How far the signed sum over a row of n elements, each within `tolerance` times its scale, may be off.
/// `scale` is the sum of their scales. The signs are independent of the errors, so by Hoeffding's inequality
/// the sum stays within 7 * tolerance * sqrt(sum of squared scales), except with probability 2 exp(-24.5) a
/// row. The scales of one row differ by less than a factor of 2: sqrt(sum of squares) <= 1.25 * sum /
/// sqrt(n).
inline double allowed_for_row(double scale, double tolerance, std::int64_t n) {
  return 7.0 * 1.25 * tolerance * scale / std::sqrt(static_cast<double>(n));
}

}  // namespace warpgrade::problem
