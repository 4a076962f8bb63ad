// Step brent: the scan of Brent and Kung. A tree adds up towards its root, and a second one hands sums down
// to the leaves.
//
// Kogge and Stone do n log n additions, this does fewer than 2 n. The threads that work are neighbours:
// thread t works on the element (t + 1) * 2 * distance - 1.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void scan_blocks_in_trees(int n, const int *x, int *y, int *sums) {
  [[maybe_unused]] __shared__ int part[THREADS];
  [[maybe_unused]] const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  // TODO(1): bring one element per thread.
  // BEGIN SOLUTION
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  // END SOLUTION
  // TODO(2): towards the root: each working element adds the one `distance` before it; the distance doubles.
  // BEGIN SOLUTION
  for (int distance = 1; distance < THREADS; distance *= 2) {
    const int at = (t + 1) * 2 * distance - 1;
    if (at < THREADS) part[at] += part[at - distance];
    __syncthreads();
  }
  // END SOLUTION
  // TODO(3): back to the leaves: the element `distance` behind a finished one adds it; the distance halves.
  // BEGIN SOLUTION
  for (int distance = THREADS / 4; distance > 0; distance /= 2) {
    const int at = (t + 1) * 2 * distance - 1;
    if (at + distance < THREADS) part[at + distance] += part[at];
    __syncthreads();
  }
  if (i < n) y[i] = part[t];
  if (t == THREADS - 1) sums[blockIdx.x] = part[t];
  // END SOLUTION
}

__global__ void add_sums_before(int n, int *y, const int *sums) {
  // TODO(4): as in step kogge.
  // BEGIN SOLUTION
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (blockIdx.x > 0 && i < n) y[i] += sums[blockIdx.x - 1];
  // END SOLUTION
}

void brent(int n, const int *x, int *y) {
  // TODO(5): as in step kogge.
  // BEGIN SOLUTION
  if (n == 0) return;
  const int blocks = (n + THREADS - 1) / THREADS;
  int *sums;
  cudaMalloc(&sums, 2 * blocks * sizeof(int));
  scan_blocks_in_trees<<<blocks, THREADS>>>(n, x, y, sums);
  if (blocks > 1) {
    brent(blocks, sums, sums + blocks);
    add_sums_before<<<blocks, THREADS>>>(n, y, sums + blocks);
  }
  cudaFree(sums);
  // END SOLUTION
}
