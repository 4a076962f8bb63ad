// Has the loop, and launches a thread for each element all the same.
// Verdict: rule violation: too few results per thread.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256, MOST_BLOCKS = 16;

__global__ void scale_and_add_strided(int n, float a, const float *x, float *y) {
  const int grid = gridDim.x * THREADS;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += grid) y[i] = a * x[i] + y[i];
}

void stride(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  const int needed = (n + THREADS - 1) / THREADS, blocks = needed;
  scale_and_add_strided<<<blocks, THREADS>>>(n, a, x, y);
}
