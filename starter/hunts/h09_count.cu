// Hunt h09: counts[b] = how many of x[0] ... x[n - 1] equal b. A thread strides through the numbers with the grid,
// and counts equal numbers that follow each other in a register.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// answer line:
// answer cause:
#include "hunts.h"

constexpr int THREADS = 64, MOST_BLOCKS = 32;

__global__ void count_runs(int n, const unsigned *x, unsigned *counts) {
  unsigned value = 0, times = 0;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    if (x[i] != value) {
      if (times > 0) atomicAdd(&counts[value], times);
      value = x[i];
      times = 0;
    }
    ++times;
  }
  if (times > 0) counts[value] += times;
}

void count_crowds(int n, int bins, const unsigned *x, unsigned *counts) {
  cudaMemsetAsync(counts, 0, bins * sizeof(unsigned));
  const int wanted = (n + THREADS - 1) / THREADS, blocks = wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS;
  count_runs<<<blocks, THREADS>>>(n, x, counts);
}
