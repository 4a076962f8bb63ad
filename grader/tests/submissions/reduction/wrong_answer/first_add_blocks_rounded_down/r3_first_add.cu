// Divides without rounding up, so the last elements belong to no block.
// Verdict: wrong answer.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256, EACH = 8;

__global__ void add_several(int n, const float *x, float *sum) {
  [[maybe_unused]] __shared__ float part[THREADS];
  const int t = threadIdx.x, first = blockIdx.x * THREADS * EACH + t;
  float mine = 0.0f;
  for (int k = 0; k < EACH; ++k)
    if (first + k * THREADS < n) mine += x[first + k * THREADS];
  part[t] = mine;
  __syncthreads();
  for (int distance = THREADS / 2; distance > 0; distance /= 2) {
    if (t < distance) part[t] += part[t + distance];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, part[0]);
}

void first_add(int n, const float *x, float *sum) {
  cudaMemset(sum, 0, sizeof(float));
  constexpr int per_block = THREADS * EACH;
  if (n > 0) add_several<<<n < per_block ? 1 : n / per_block, THREADS>>>(n, x, sum);
}
