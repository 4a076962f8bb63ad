// Forgets that the last block has more threads than elements are left.
// Verdict: out of bounds, at the line of the addition.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_element(int n, const float *x, const float *y, float *z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i] + y[i];
}

void add(int n, const float *x, const float *y, float *z) {
  if (n == 0) return;
  add_element<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, y, z);
}
