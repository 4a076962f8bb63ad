// Lanes without an entry return before the shuffles, which read their sums all the same.
// Verdict: barrier error at the line of the shuffle: what such a lane gives is undefined, and it reaches y.
#include "spmv.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 8;   // lanes of a warp, warps of a block
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

__global__ void multiply_rows_by_warps(int rows, const int *start, const int *column, const float *value,
                                       const float *x, float *y) {
  [[maybe_unused]] const int row = blockIdx.x * WARPS + threadIdx.y;
  [[maybe_unused]] float sum = 0.0f;
  if (row >= rows) return;
  const int end = start[row + 1];
  if (start[row] + static_cast<int>(threadIdx.x) >= end && threadIdx.x > 0) return;
  for (int e = start[row] + threadIdx.x; e < end; e += WARP) sum += value[e] * x[column[e]];
  for (int distance = WARP / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(ALL, sum, distance);
  if (threadIdx.x == 0) y[row] = sum;
}

void vector(int rows, int columns, int entries, const int *start, const int *column, const float *value,
            const float *x, float *y) {
  if (rows > 0)
    multiply_rows_by_warps<<<(rows + WARPS - 1) / WARPS, dim3(WARP, WARPS)>>>(rows, start, column, value, x,
                                                                              y);
}
