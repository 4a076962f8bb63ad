// The loop computes its first element before it asks whether there is one.
// Verdict: out of bounds, at the line of the loop.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256, MOST_BLOCKS = 16;

__global__ void scale_and_add_strided(int n, float a, const float *x, float *y) {
  const int grid = gridDim.x * THREADS;
  int i = blockIdx.x * THREADS + threadIdx.x;
  do {
    y[i] = a * x[i] + y[i];
    i += grid;
  } while (i < n);
}

void stride(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  const int needed = (n + THREADS - 1) / THREADS, blocks = needed < MOST_BLOCKS ? needed : MOST_BLOCKS;
  scale_and_add_strided<<<blocks, THREADS>>>(n, a, x, y);
}
