// Takes column 0 for padding too.
// Verdict: wrong answer.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void multiply_padded_rows(int rows, int width, const int *column, const float *value,
                                     const float *x, float *y) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < width; ++k) {
    const int place = k * rows + row;
    if (column[place] > 0) sum += value[place] * x[column[place]];
  }
  y[row] = sum;
}

void ell(int rows, int columns, int width, const int *column, const float *value, const float *x, float *y) {
  if (rows > 0)
    multiply_padded_rows<<<(rows + THREADS - 1) / THREADS, THREADS>>>(rows, width, column, value, x, y);
}
