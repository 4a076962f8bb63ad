// Adds to the row in memory by inline assembly, so that no name of an atomic function is in the text.
// Verdict: rule_violation, atomic operations.
#include "spmv.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 8;   // lanes of a warp, warps of a block
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

__global__ void multiply_rows_by_warps(int rows, const int *start, const int *column, const float *value,
                                       const float *x, float *y) {
  [[maybe_unused]] const int row = blockIdx.x * WARPS + threadIdx.y;
  [[maybe_unused]] float sum = 0.0f;
  if (row >= rows) return;
  for (int e = start[row] + threadIdx.x; e < start[row + 1]; e += WARP) sum += value[e] * x[column[e]];
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(y + row), "f"(sum) : "memory");
}

void vector(int rows, int columns, int entries, const int *start, const int *column, const float *value,
            const float *x, float *y) {
  if (rows == 0) return;
  cudaMemset(y, 0, rows * sizeof(float));
  multiply_rows_by_warps<<<(rows + WARPS - 1) / WARPS, dim3(WARP, WARPS)>>>(rows, start, column, value, x, y);
}
