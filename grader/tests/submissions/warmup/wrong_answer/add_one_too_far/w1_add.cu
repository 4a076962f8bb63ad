// Stores each sum one element too far.
// Verdict: wrong answer.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_element(int n, const float *x, const float *y, float *z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i + 1 < n) z[i + 1] = x[i] + y[i];
}

void add(int n, const float *x, const float *y, float *z) {
  if (n == 0) return;
  add_element<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, y, z);
}
