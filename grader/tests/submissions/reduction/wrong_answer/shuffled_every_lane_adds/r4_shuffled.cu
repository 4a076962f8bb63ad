// All lanes of the first warp add to the sum, not lane 0 alone.
// Verdict: wrong answer.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256, WARP = 32, EACH = 8;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

// The sum over the lanes of a warp, in lane 0.
__device__ float sum_of_warp(float mine) {
  for (int distance = WARP / 2; distance > 0; distance /= 2) mine += __shfl_down_sync(ALL, mine, distance);
  return mine;
}

__global__ void add_shuffled(int n, const float *x, float *sum) {
  __shared__ float part[THREADS / WARP];
  const int t = threadIdx.x, first = blockIdx.x * THREADS * EACH + t;
  float mine = 0.0f;
  for (int k = 0; k < EACH; ++k)
    if (first + k * THREADS < n) mine += x[first + k * THREADS];
  mine = sum_of_warp(mine);
  if (t % WARP == 0) part[t / WARP] = mine;
  __syncthreads();
  if (t >= WARP) return;
  mine = sum_of_warp(t < THREADS / WARP ? part[t] : 0.0f);
  atomicAdd(sum, mine);
}

void shuffled(int n, const float *x, float *sum) {
  cudaMemset(sum, 0, sizeof(float));
  constexpr int per_block = THREADS * EACH;
  if (n > 0) add_shuffled<<<(n + per_block - 1) / per_block, THREADS>>>(n, x, sum);
}
