// Eight lanes share a row.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256, LANES = 8;

__global__ void multiply_by_eights(int rows, const int *start, const int *column, const float *value,
                                   const float *x, float *y) {
  const int row = (blockIdx.x * THREADS + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  float sum = 0.0f;
  if (row < rows)
    for (int e = start[row] + lane; e < start[row + 1]; e += LANES) sum += value[e] * x[column[e]];
  for (int bit = LANES / 2; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffffffff, sum, bit);
  if (row < rows && lane == 0) y[row] = sum;
}

void vector(int rows, int columns, int entries, const int *start, const int *column, const float *value,
            const float *x, float *y) {
  constexpr int OF_BLOCK = THREADS / LANES;
  if (rows > 0)
    multiply_by_eights<<<(rows + OF_BLOCK - 1) / OF_BLOCK, THREADS>>>(rows, start, column, value, x, y);
}
