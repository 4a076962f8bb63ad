// Step vector: one warp for each row. Its lanes take neighbouring entries and add their sums by shuffles.
//
// Loads of values and columns are coalesced now. Rows with fewer entries than a warp has lanes leave the rest
// of the lanes idle. Atomic operations are not allowed in this step.
#include "spmv.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 8;   // lanes of a warp, warps of a block
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

__global__ void multiply_rows_by_warps(int rows, const int *start, const int *column, const float *value,
                                       const float *x, float *y) {
  [[maybe_unused]] const int row = blockIdx.x * WARPS + threadIdx.y;
  [[maybe_unused]] float sum = 0.0f;
  // TODO(1): the sum of this lane's entries: every 32nd of the row. All lanes of a warp have the same row.
  // BEGIN SOLUTION
  if (row >= rows) return;
  const int end = start[row + 1];
  for (int e = start[row] + threadIdx.x; e < end; e += WARP) sum += value[e] * x[column[e]];
  // END SOLUTION
  // TODO(2): the sum over the lanes, by __shfl_down_sync. One lane writes it.
  // BEGIN SOLUTION
  for (int distance = WARP / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(ALL, sum, distance);
  if (threadIdx.x == 0) y[row] = sum;
  // END SOLUTION
}

void vector(int rows, int columns, int entries, const int *start, const int *column, const float *value,
            const float *x, float *y) {
  // TODO(3): blocks of WARPS warps, for all rows.
  // BEGIN SOLUTION
  if (rows > 0)
    multiply_rows_by_warps<<<(rows + WARPS - 1) / WARPS, dim3(WARP, WARPS)>>>(rows, start, column, value, x,
                                                                              y);
  // END SOLUTION
}
