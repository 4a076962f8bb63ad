// Adds to what was in y before.
// Verdict: wrong answer; the cause is named.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_entries(int entries, const int *row, const int *column, const float *value,
                            const float *x, float *y) {
  const int e = blockIdx.x * THREADS + threadIdx.x;
  if (e < entries) atomicAdd(&y[row[e]], value[e] * x[column[e]]);
}

void coo(int rows, int columns, int entries, const int *row, const int *column, const float *value,
         const float *x, float *y) {
  if (entries > 0)
    add_entries<<<(entries + THREADS - 1) / THREADS, THREADS>>>(entries, row, column, value, x, y);
}
