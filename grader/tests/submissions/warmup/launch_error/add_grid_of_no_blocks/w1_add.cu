// Launches a grid of no blocks when there are no elements.
// Verdict: launch error: a grid has at least one block.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_element(int n, const float *x, const float *y, float *z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

void add(int n, const float *x, const float *y, float *z) {
  add_element<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, y, z);
}
