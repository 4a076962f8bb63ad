// Leaves the part of threads beyond the end as it was, instead of 0.
// Verdict: uninitialized read, at the line of the addition.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_interleaved(int n, const float *x, float *sum) {
  [[maybe_unused]] __shared__ float part[THREADS];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  if (i < n) part[t] = x[i];
  __syncthreads();
  for (int distance = 1; distance < THREADS; distance *= 2) {
    if (t % (2 * distance) == 0) part[t] += part[t + distance];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, part[0]);
}

void interleaved(int n, const float *x, float *sum) {
  cudaMemset(sum, 0, sizeof(float));
  if (n > 0) add_interleaved<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, sum);
}
