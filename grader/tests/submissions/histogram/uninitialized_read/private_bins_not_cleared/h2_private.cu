// Counts in private bins that nobody has cleared.
// Verdict: uninitialized_read.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_private(int n, int bins, const unsigned *x, unsigned *counts) {
  extern __shared__ unsigned own[];  // `bins` of them
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(&own[x[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += THREADS) atomicAdd(&counts[b], own[b]);
}

void count_private(int n, int bins, const unsigned *x, unsigned *counts) {
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  add_private<<<(n + THREADS - 1) / THREADS, THREADS, bins * sizeof(unsigned)>>>(n, bins, x, counts);
}
