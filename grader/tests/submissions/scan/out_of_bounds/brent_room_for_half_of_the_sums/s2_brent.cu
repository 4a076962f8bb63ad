// Allocates memory for the sums, and none for their scan.
// Verdict: out of bounds, at the line that writes it.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void scan_blocks_in_trees(int n, const int *x, int *y, int *sums) {
  [[maybe_unused]] __shared__ int part[THREADS];
  [[maybe_unused]] const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < THREADS; distance *= 2) {
    const int at = (t + 1) * 2 * distance - 1;
    if (at < THREADS) part[at] += part[at - distance];
    __syncthreads();
  }
  for (int distance = THREADS / 4; distance > 0; distance /= 2) {
    const int at = (t + 1) * 2 * distance - 1;
    if (at + distance < THREADS) part[at + distance] += part[at];
    __syncthreads();
  }
  if (i < n) y[i] = part[t];
  if (t == THREADS - 1) sums[blockIdx.x] = part[t];
}

__global__ void add_sums_before(int n, int *y, const int *sums) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (blockIdx.x > 0 && i < n) y[i] += sums[blockIdx.x - 1];
}

void brent(int n, const int *x, int *y) {
  if (n == 0) return;
  const int blocks = (n + THREADS - 1) / THREADS;
  int *sums;
  cudaMalloc(&sums, blocks * sizeof(int));
  scan_blocks_in_trees<<<blocks, THREADS>>>(n, x, y, sums);
  if (blocks > 1) {
    brent(blocks, sums, sums + blocks);
    add_sums_before<<<blocks, THREADS>>>(n, y, sums + blocks);
  }
  cudaFree(sums);
}
