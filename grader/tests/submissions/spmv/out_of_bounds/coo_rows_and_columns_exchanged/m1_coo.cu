// Multiplies by the transposed matrix: takes x at the row and adds to y at the column.
// Verdict: out of bounds, at the line of the addition.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_entries(int entries, const int *row, const int *column, const float *value,
                            const float *x, float *y) {
  const int e = blockIdx.x * THREADS + threadIdx.x;
  if (e < entries) atomicAdd(&y[column[e]], value[e] * x[row[e]]);
}

void coo(int rows, int columns, int entries, const int *row, const int *column, const float *value,
         const float *x, float *y) {
  if (rows > 0) cudaMemset(y, 0, rows * sizeof(float));
  if (entries > 0)
    add_entries<<<(entries + THREADS - 1) / THREADS, THREADS>>>(entries, row, column, value, x, y);
}
