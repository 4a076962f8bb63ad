// The sums of all blocks come first, from reading alone; then every block scans, beginning with the sum before it.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 256, EACH = 8, WARP = 32, OF_BLOCK = THREADS * EACH;

__global__ void sums_of_blocks(int n, const int *x, int *sums) {
  __shared__ int warps[THREADS / WARP];
  int mine = 0;
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    if (const int i = blockIdx.x * OF_BLOCK + k * THREADS + threadIdx.x; i < n) mine += x[i];
  for (int bit = WARP / 2; bit > 0; bit /= 2) mine += __shfl_xor_sync(0xffffffff, mine, bit);
  if (threadIdx.x % WARP == 0) warps[threadIdx.x / WARP] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < THREADS / WARP; ++w) mine += warps[w];
  sums[blockIdx.x] = mine;
}

__global__ void starts_of_blocks(int n, int *sums) {
  __shared__ int part[1024];
  const int t = threadIdx.x, each = (n + 1023) / 1024;
  int mine = 0;
  for (int k = 0; k < each; ++k)
    if (t * each + k < n) mine += sums[t * each + k];
  part[t] = mine;
  __syncthreads();
  for (int distance = 1; distance < 1024; distance *= 2) {
    const int before = t >= distance ? part[t - distance] : 0;
    __syncthreads();
    part[t] += before;
    __syncthreads();
  }
  int before = part[t] - mine;
  for (int k = 0; k < each; ++k)
    if (const int i = t * each + k; i < n) {
      const int here = sums[i];
      sums[i] = before;
      before += here;
    }
}

__global__ void scan_with_starts(int n, const int *x, int *y, const int *starts) {
  __shared__ int warps[THREADS / WARP];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP,
            first = blockIdx.x * OF_BLOCK + warp * EACH * WARP + lane;
  int carry = 0, mine[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) mine[k] = first + k * WARP < n ? x[first + k * WARP] : 0;
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    for (int distance = 1; distance < WARP; distance *= 2) {
      const int other = __shfl_up_sync(0xffffffff, mine[k], distance);
      if (lane >= distance) mine[k] += other;
    }
    mine[k] += carry;
    carry = __shfl_sync(0xffffffff, mine[k], WARP - 1);
  }
  if (lane == 0) warps[warp] = carry;
  __syncthreads();
  int before = starts[blockIdx.x];
  for (int w = 0; w < warp; ++w) before += warps[w];
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    if (first + k * WARP < n) y[first + k * WARP] = before + mine[k];
}

void coarse(int n, const int *x, int *y) {
  if (n == 0) return;
  const int blocks = (n + OF_BLOCK - 1) / OF_BLOCK;
  int *sums;
  cudaMalloc(&sums, blocks * sizeof(int));
  sums_of_blocks<<<blocks, THREADS>>>(n, x, sums);
  starts_of_blocks<<<1, 1024>>>(blocks, sums);
  scan_with_starts<<<blocks, THREADS>>>(n, x, y, sums);
  cudaFree(sums);
}
