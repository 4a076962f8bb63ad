// Computes one element per thread although there are fewer threads than elements.
// Verdict: wrong answer; only the first elements are right.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256, MOST_BLOCKS = 16;

__global__ void scale_and_add_strided(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void stride(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  const int needed = (n + THREADS - 1) / THREADS, blocks = needed < MOST_BLOCKS ? needed : MOST_BLOCKS;
  scale_and_add_strided<<<blocks, THREADS>>>(n, a, x, y);
}
