// Forgets that the last block has more threads than rows are left.
// Verdict: out of bounds, at the line that writes y or reads the column.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void multiply_padded_rows(int rows, int width, const int *column, const float *value,
                                     const float *x, float *y) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < width; ++k) {
    const int place = k * rows + row;
    sum += value[place] * x[max(column[place], 0)];  // the value of padding is 0: any element of x will do
  }
  y[row] = sum;
}

void ell(int rows, int columns, int width, const int *column, const float *value, const float *x, float *y) {
  if (rows > 0)
    multiply_padded_rows<<<(rows + THREADS - 1) / THREADS, THREADS>>>(rows, width, column, value, x, y);
}
