// Step coo: one thread for each entry. It multiplies, and adds the product to its row.
//
// The threads need to know nothing of rows: every one of them has the same work. Entries of one row are added
// by many threads at a time, so the addition must be atomic.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_entries(int entries, const int *row, const int *column, const float *value,
                            const float *x, float *y) {
  // TODO(1): one entry for each thread; the last block may have threads without one.
  // BEGIN SOLUTION
  const int e = blockIdx.x * THREADS + threadIdx.x;
  if (e < entries) atomicAdd(&y[row[e]], value[e] * x[column[e]]);
  // END SOLUTION
}

void coo(int rows, int columns, int entries, const int *row, const int *column, const float *value,
         const float *x, float *y) {
  // TODO(2): clear y, and launch. There may be no rows, or no entries.
  // BEGIN SOLUTION
  if (rows > 0) cudaMemset(y, 0, rows * sizeof(float));
  if (entries > 0)
    add_entries<<<(entries + THREADS - 1) / THREADS, THREADS>>>(entries, row, column, value, x, y);
  // END SOLUTION
}
