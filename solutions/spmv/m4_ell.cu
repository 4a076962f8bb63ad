// Step ell: one thread for each row again, with another format: all rows are padded to the same length and
// stored column by column.
//
// Entry k of neighbouring rows is in neighbouring places, so the loads of a warp are coalesced although each
// thread walks along a row of its own. The price is the padding, which is read too: one long row makes all
// rows long.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void multiply_padded_rows(int rows, int width, const int *column, const float *value,
                                     const float *x, float *y) {
  // TODO(1): the sum of one row. Where there is padding, x has no element to read.
  // BEGIN SOLUTION
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < width; ++k) {
    const int place = k * rows + row;
    sum += value[place] * x[max(column[place], 0)];  // the value of padding is 0: any element of x will do
  }
  y[row] = sum;
  // END SOLUTION
}

void ell(int rows, int columns, int width, const int *column, const float *value, const float *x, float *y) {
  // TODO(2): the launch, if there are rows.
  // BEGIN SOLUTION
  if (rows > 0)
    multiply_padded_rows<<<(rows + THREADS - 1) / THREADS, THREADS>>>(rows, width, column, value, x, y);
  // END SOLUTION
}
