// The last round, of distance 1, is missing.
// Verdict: wrong answer.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_sequential(int n, const float *x, float *sum) {
  [[maybe_unused]] __shared__ float part[THREADS];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int distance = THREADS / 2; distance > 1; distance /= 2) {
    if (t < distance) part[t] += part[t + distance];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, part[0]);
}

void sequential(int n, const float *x, float *sum) {
  cudaMemset(sum, 0, sizeof(float));
  if (n > 0) add_sequential<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, sum);
}
