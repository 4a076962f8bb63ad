// Counts in global memory, where private bins are asked for.
// Verdict: rule_violation, no shared memory.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_private(int n, int bins, const unsigned *x, unsigned *counts) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1u);
}

void count_private(int n, int bins, const unsigned *x, unsigned *counts) {
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  add_private<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, bins, x, counts);
}
