// Threads hold four neighbours each and scan by shuffles; the sums of the blocks are scanned by one block.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 512, WARP = 32, OF_BLOCK = 4 * THREADS;

__device__ int through_block(int mine, int *warps) {
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  int through = mine;
  for (int distance = 1; distance < WARP; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffff, through, distance);
    if (lane >= distance) through += other;
  }
  if (lane == WARP - 1) warps[warp] = through;
  __syncthreads();
  for (int w = 0; w < warp; ++w) through += warps[w];
  return through;
}

__global__ void scan_fours(int n, const int *x, int *y, int *sums) {
  __shared__ int warps[THREADS / WARP];
  const int at = blockIdx.x * OF_BLOCK + 4 * threadIdx.x;
  int4 v = {};
  if (at + 3 < n)
    v = *reinterpret_cast<const int4 *>(x + at);
  else if (at < n)
    v.x = x[at], v.y = at + 1 < n ? x[at + 1] : 0, v.z = at + 2 < n ? x[at + 2] : 0;
  v.y += v.x, v.z += v.y, v.w += v.z;
  const int through = through_block(v.w, warps), before = through - v.w;
  v.x += before, v.y += before, v.z += before, v.w += before;
  if (at + 3 < n)
    *reinterpret_cast<int4 *>(y + at) = v;
  else if (at < n) {
    y[at] = v.x;
    if (at + 1 < n) y[at + 1] = v.y;
    if (at + 2 < n) y[at + 2] = v.z;
  }
  if (threadIdx.x == THREADS - 1) sums[blockIdx.x] = through;
}

__global__ void scan_sums(int n, int *sums) {
  __shared__ int warps[THREADS / WARP];
  __shared__ int all;
  int carry = 0;
  for (int first = 0; first < n; first += THREADS) {
    const int i = first + threadIdx.x;
    const int through = through_block(i < n ? sums[i] : 0, warps) + carry;
    if (i < n) sums[i] = through;
    if (threadIdx.x == THREADS - 1) all = through;
    __syncthreads();
    carry = all;
  }
}

__global__ void add_fours(int n, int *y, const int *sums) {
  const int at = (blockIdx.x + 1) * OF_BLOCK + 4 * threadIdx.x, before = sums[blockIdx.x];
  if (at + 3 < n) {
    int4 v = *reinterpret_cast<int4 *>(y + at);
    v.x += before, v.y += before, v.z += before, v.w += before;
    *reinterpret_cast<int4 *>(y + at) = v;
  } else {
    for (int i = at; i < n; ++i) y[i] += before;
  }
}

void coarse(int n, const int *x, int *y) {
  if (n == 0) return;
  const int blocks = (n + OF_BLOCK - 1) / OF_BLOCK;
  int *sums;
  cudaMalloc(&sums, blocks * sizeof(int));
  scan_fours<<<blocks, THREADS>>>(n, x, y, sums);
  if (blocks > 1) {
    scan_sums<<<1, THREADS>>>(blocks, sums);
    add_fours<<<blocks - 1, THREADS>>>(n, y, sums);
  }
  cudaFree(sums);
}
