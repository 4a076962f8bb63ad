// Divides without rounding up, so the last elements belong to no block.
// Verdict: wrong answer; the cause is named.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_element(int n, const float *x, const float *y, float *z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

void add(int n, const float *x, const float *y, float *z) {
  if (n == 0) return;
  add_element<<<n < THREADS ? 1 : n / THREADS, THREADS>>>(n, x, y, z);
}
