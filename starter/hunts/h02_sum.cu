// Hunt h02: sum[0] = x[0] + ... + x[n - 1]. A block takes piece after piece of x, adds up each in a tree in shared
// memory, and adds the result to the sum.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// answer line:
// answer cause:
#include "hunts.h"

constexpr int THREADS = 128, MOST_BLOCKS = 4;

__global__ void add_trees(int n, const float *x, float *sum) {
  __shared__ float part[THREADS];
  const int t = threadIdx.x;
  for (int piece = blockIdx.x * THREADS; piece < n; piece += gridDim.x * THREADS) {
    part[t] = piece + t < n ? x[piece + t] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
      if (t < half) {
        part[t] += part[t + half];
        __syncthreads();
      }
    }
    if (t == 0) atomicAdd(sum, part[0]);
  }
}

void sum_tree(int n, const float *x, float *sum) {
  cudaMemsetAsync(sum, 0, sizeof(float));
  if (n == 0) return;
  const int wanted = (n + THREADS - 1) / THREADS, blocks = wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS;
  add_trees<<<blocks, THREADS>>>(n, x, sum);
}
