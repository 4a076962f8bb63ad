// Takes a as an int, so that 2.5 becomes 2.
// Verdict: wrong answer.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void scale_and_add(int n, int a, const float *x, float *y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  scale_and_add<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, a, x, y);
}
