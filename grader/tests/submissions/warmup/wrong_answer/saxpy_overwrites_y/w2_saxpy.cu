// Forgets that y is an input too.
// Verdict: wrong answer; the cause is named.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void scale_and_add(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

void saxpy(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  scale_and_add<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, a, x, y);
}
