// Reads x at column -1. That the value is 0 does not help.
// Verdict: out of bounds, at the line of the sum.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void multiply_padded_rows(int rows, int width, const int *column, const float *value,
                                     const float *x, float *y) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < width; ++k) {
    const int place = k * rows + row;
    sum += value[place] * x[column[place]];
  }
  y[row] = sum;
}

void ell(int rows, int columns, int width, const int *column, const float *value, const float *x, float *y) {
  if (rows > 0)
    multiply_padded_rows<<<(rows + THREADS - 1) / THREADS, THREADS>>>(rows, width, column, value, x, y);
}
