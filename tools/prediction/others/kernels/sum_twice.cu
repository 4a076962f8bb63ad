// Sums of blocks are stored, and one block adds them.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256, EACH = 12;

__global__ void add_parts(int n, const float *x, float *sums) {
  __shared__ float part[THREADS];
  const int t = threadIdx.x;
  float mine = 0.0f;
#pragma unroll 4
  for (int k = 0; k < EACH; ++k)
    if (const int i = (blockIdx.x * EACH + k) * THREADS + t; i < n) mine += x[i];
  part[t] = mine;
  __syncthreads();
  for (int distance = THREADS / 2; distance > 0; distance /= 2) {
    if (t < distance) part[t] += part[t + distance];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

__global__ void add_all(int n, const float *x, float *sum) {
  __shared__ float part[1024];
  const int t = threadIdx.x;
  float mine = 0.0f;
  for (int i = t; i < n; i += 1024) mine += x[i];
  part[t] = mine;
  __syncthreads();
  for (int distance = 512; distance > 0; distance /= 2) {
    if (t < distance) part[t] += part[t + distance];
    __syncthreads();
  }
  if (t == 0) *sum = part[0];
}

void first_add(int n, const float *x, float *sum) {
  constexpr int per_block = THREADS * EACH;
  const int blocks = (n + per_block - 1) / per_block;
  float *sums;
  cudaMalloc(&sums, (blocks + 1) * sizeof(float));
  if (blocks > 0) add_parts<<<blocks, THREADS>>>(n, x, sums);
  add_all<<<1, 1024>>>(blocks, sums, sum);
  cudaFree(sums);
}
