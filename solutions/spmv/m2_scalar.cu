// Step scalar: one thread for each row. It adds up the row in a register, so nothing is atomic.
//
// Neighbouring threads read entries that are a row apart: each load of a warp needs as many sectors as it has
// lanes. And a warp takes as long as the longest of its rows.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void multiply_rows(int rows, const int *start, const int *column, const float *value,
                              const float *x, float *y) {
  // TODO(1): the sum of one row. A row without entries gives 0.
  // BEGIN SOLUTION
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int e = start[row]; e < start[row + 1]; ++e) sum += value[e] * x[column[e]];
  y[row] = sum;
  // END SOLUTION
}

void scalar(int rows, int columns, int entries, const int *start, const int *column, const float *value,
            const float *x, float *y) {
  // TODO(2): the launch, if there are rows.
  // BEGIN SOLUTION
  if (rows > 0) multiply_rows<<<(rows + THREADS - 1) / THREADS, THREADS>>>(rows, start, column, value, x, y);
  // END SOLUTION
}
