// Moves also the elements that are not kept, to places that others have.
// Verdict: race, at the line of the move.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 256;

// places[i] = how many of the elements of i's block, up to i, are kept; counts[b] = how many of block b are.
__global__ void count_kept(int n, const int *x, int *places, int *counts) {
  __shared__ int part[THREADS];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n && x[i] >= 0;
  __syncthreads();
  for (int distance = 1; distance < THREADS; distance *= 2) {
    const int before = t >= distance ? part[t - distance] : 0;
    __syncthreads();
    part[t] += before;
    __syncthreads();
  }
  if (i < n) places[i] = part[t];
  if (t == THREADS - 1) counts[blockIdx.x] = part[t];
}

// starts[b] = how many are kept in the blocks before b; kept[0] = in all blocks. One block runs this.
__global__ void start_of_blocks(int blocks, const int *counts, int *starts, int *kept) {
  __shared__ int part[THREADS];
  const int t = threadIdx.x;
  int carry = 0;
  for (int first = 0; first < blocks; first += THREADS) {
    const int mine = first + t < blocks ? counts[first + t] : 0;
    part[t] = mine;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
      const int before = t >= distance ? part[t - distance] : 0;
      __syncthreads();
      part[t] += before;
      __syncthreads();
    }
    if (first + t < blocks) starts[first + t] = carry + part[t] - mine;
    carry += part[THREADS - 1];
    __syncthreads();
  }
  if (t == 0) *kept = carry;
}

__global__ void move_kept(int n, const int *x, int *y, const int *places, const int *starts) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n && starts[blockIdx.x] + places[i] > 0) y[starts[blockIdx.x] + places[i] - 1] = x[i];
}

void compact(int n, const int *x, int *y, int *kept) {
  if (n == 0) {
    cudaMemset(kept, 0, sizeof(int));
    return;
  }
  const int blocks = (n + THREADS - 1) / THREADS;
  int *places, *counts;
  cudaMalloc(&places, n * sizeof(int));
  cudaMalloc(&counts, 2 * blocks * sizeof(int));
  count_kept<<<blocks, THREADS>>>(n, x, places, counts);
  start_of_blocks<<<1, THREADS>>>(blocks, counts, counts + blocks, kept);
  move_kept<<<blocks, THREADS>>>(n, x, y, places, counts + blocks);
  cudaFree(places);
  cudaFree(counts);
}
