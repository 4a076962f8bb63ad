// The sums that the referee's kernels compute, lane by lane. Plain functions of memory, so that the same code
// runs on a GPU (referee.cu), under the simulator and, with one lane, on a host.
#pragma once

#include <cmath>
#include <cstdint>

#include "problem/product.hpp"

#ifdef __CUDACC__
#define WARPGRADE_ANYWHERE __host__ __device__
#else
#define WARPGRADE_ANYWHERE
#endif

namespace warpgrade::gpu {

/// Writes element i that `fill` draws.
WARPGRADE_ANYWHERE inline void store(void *to, const problem::Fill &fill, std::uint64_t key,
                                     std::uint64_t i) {
  const std::uint32_t bits = fill.bits(key, i);
  if (fill.type == problem::Type::f16)
    static_cast<std::uint16_t *>(to)[i] = static_cast<std::uint16_t>(bits);
  else if (fill.type == problem::Type::e4m3)
    static_cast<std::uint8_t *>(to)[i] = static_cast<std::uint8_t>(bits);
  else
    static_cast<std::uint32_t *>(to)[i] = bits;
}

/// Element (i, j) of a matrix in this buffer.
WARPGRADE_ANYWHERE inline float element(const problem::Matrix &x, const void *buffer, std::int64_t i,
                                        std::int64_t j) {
  const std::int64_t at = x.at(i, j);
  if (x.fill.type == problem::Type::f16)
    return problem::finite_half(static_cast<const std::uint16_t *>(buffer)[at]);
  if (x.fill.type == problem::Type::e4m3)
    return problem::finite_e4m3(static_cast<const std::uint8_t *>(buffer)[at]);
  return static_cast<const float *>(buffer)[at];
}

/// A signed sum over a row of C: |got - want| <= problem::allowed_for_row(scale, ...) if the row is right.
struct RowSums {
  double got = 0, want = 0, scale = 0;
};

/// One cell of C: |got - want| <= tolerance * scale if it is right.
struct CellSums {
  std::int64_t row = 0, column = 0;
  double got = 0, want = 0, scale = 0;
};

struct BSums {
  double with_signs = 0, without = 0;
};

/// This lane's share of row `row` of B.
WARPGRADE_ANYWHERE inline BSums sums_of_b(const problem::MatrixProduct &p, const void *b, std::uint64_t seed,
                                          std::int64_t row, int lane, int lanes) {
  BSums mine;
  for (std::int64_t j = lane; j < p.n; j += lanes) {
    const double value = element(p.b, b, row, j);
    mine.with_signs += problem::sign_of_column(seed, j) * value;
    mine.without += fabs(value);
  }
  return mine;
}

/// This lane's share of row `row` of C. b_sums has a signed sum for each row of B, then the plain ones.
WARPGRADE_ANYWHERE inline RowSums sums_of_row(const problem::MatrixProduct &p, const void *a,
                                              const double *b_sums, const float *before, const float *after,
                                              std::uint64_t seed, std::int64_t row, int lane, int lanes) {
  RowSums mine;
  for (std::int64_t q = lane; q < p.k; q += lanes) {
    const double value = element(p.a, a, row, q);
    const std::int64_t in_b = p.row_of_b(row, q);
    mine.want += p.alpha * value * b_sums[in_b];
    mine.scale += fabs(p.alpha * value) * b_sums[p.rows_of_b() + in_b];
  }
  for (std::int64_t j = lane; j < p.n; j += lanes) {
    const double sign = problem::sign_of_column(seed, j), old = before[p.c.at(row, j)];
    mine.want += p.beta * sign * old;
    mine.scale += fabs(p.beta * old);
    mine.got += sign * after[p.c.at(row, j)];
  }
  return mine;
}

/// This lane's share of a cell, before its finish; `got` is the same for every lane.
WARPGRADE_ANYWHERE inline CellSums sums_of_cell(const problem::MatrixProduct &p, const void *a, const void *b,
                                                const float *before, const float *after, problem::Cell cell,
                                                int lane, int lanes) {
  CellSums mine{cell.row, cell.column, after[p.c.at(cell.row, cell.column)], 0, 0};
  for (std::int64_t q = lane; q < p.k; q += lanes) {
    const double product = double{p.alpha} * element(p.a, a, cell.row, q) *
                           element(p.b, b, p.row_of_b(cell.row, q), cell.column);
    mine.want += product;
    mine.scale += fabs(product);
  }
  if (lane == 0) {
    const double old = double{p.beta} * before[p.c.at(cell.row, cell.column)];
    mine.want += old;
    mine.scale += fabs(old);
  }
  return mine;
}

}  // namespace warpgrade::gpu
