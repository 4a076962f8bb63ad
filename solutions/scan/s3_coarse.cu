// Step coarse: a thread scans EACH elements in registers; only the sums of the threads are scanned by all
// together, by shuffles within warps and through shared memory between them.
//
// The rounds cost barriers, and they are as many for EACH times as many elements. Neighbouring elements of a
// thread would make strided loads, so the elements pass through shared memory first.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 128, EACH = 8, WARP = 32;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

// The sum over this lane and all before it in the warp.
__device__ int scan_warp(int mine) {
  // TODO(1): five rounds of __shfl_up_sync. The first lanes have no one to add.
  // STUB: return mine;
  // BEGIN SOLUTION
  const int lane = threadIdx.x % WARP;
  for (int distance = 1; distance < WARP; distance *= 2) {
    const int before = __shfl_up_sync(ALL, mine, distance);
    if (lane >= distance) mine += before;
  }
  return mine;
  // END SOLUTION
}

__global__ void scan_coarse_blocks(int n, const int *x, int *y, int *sums) {
  [[maybe_unused]] __shared__ int part[THREADS * EACH], warps[THREADS / WARP];
  [[maybe_unused]] const int t = threadIdx.x, first = blockIdx.x * THREADS * EACH;
  // TODO(2): bring the block's elements; neighbouring threads load neighbouring elements.
  // BEGIN SOLUTION
  for (int k = t; k < THREADS * EACH; k += THREADS) part[k] = first + k < n ? x[first + k] : 0;
  __syncthreads();
  // END SOLUTION
  // TODO(3): add up this thread's EACH elements, and scan these sums over the block.
  // BEGIN SOLUTION
  int mine = 0;
  for (int k = 0; k < EACH; ++k) mine += part[t * EACH + k];
  const int through = scan_warp(mine);
  if (t % WARP == WARP - 1) warps[t / WARP] = through;
  __syncthreads();
  int before = through - mine;
  for (int w = 0; w < t / WARP; ++w) before += warps[w];
  // END SOLUTION
  // TODO(4): this thread's elements, each with what is before it; then the results, and the sum of the block.
  // BEGIN SOLUTION
  for (int k = 0; k < EACH; ++k) part[t * EACH + k] = before += part[t * EACH + k];
  __syncthreads();
  for (int k = t; k < THREADS * EACH; k += THREADS)
    if (first + k < n) y[first + k] = part[k];
  if (t == THREADS - 1) sums[blockIdx.x] = before;
  // END SOLUTION
}

__global__ void add_to_coarse_blocks(int n, int *y, const int *sums) {
  // TODO(5): as before; a block has more elements now.
  // BEGIN SOLUTION
  const int first = blockIdx.x * THREADS * EACH;
  if (blockIdx.x == 0) return;
  const int before = sums[blockIdx.x - 1];
  for (int k = threadIdx.x; k < THREADS * EACH; k += THREADS)
    if (first + k < n) y[first + k] += before;
  // END SOLUTION
}

void coarse(int n, const int *x, int *y) {
  // TODO(6): as before.
  // BEGIN SOLUTION
  if (n == 0) return;
  const int blocks = (n + THREADS * EACH - 1) / (THREADS * EACH);
  int *sums;
  cudaMalloc(&sums, 2 * blocks * sizeof(int));
  scan_coarse_blocks<<<blocks, THREADS>>>(n, x, y, sums);
  if (blocks > 1) {
    coarse(blocks, sums, sums + blocks);
    add_to_coarse_blocks<<<blocks, THREADS>>>(n, y, sums + blocks);
  }
  cudaFree(sums);
  // END SOLUTION
}
