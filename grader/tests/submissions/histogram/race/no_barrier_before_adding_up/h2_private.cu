// Adds the private bins up while other threads still count.
// Verdict: race.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_private(int n, int bins, const unsigned *x, unsigned *counts) {
  extern __shared__ unsigned own[];  // `bins` of them
  for (int b = threadIdx.x; b < bins; b += THREADS) own[b] = 0;
  __syncthreads();
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(&own[x[i]], 1u);
  for (int b = threadIdx.x; b < bins; b += THREADS) atomicAdd(&counts[b], own[b]);
}

void count_private(int n, int bins, const unsigned *x, unsigned *counts) {
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  add_private<<<(n + THREADS - 1) / THREADS, THREADS, bins * sizeof(unsigned)>>>(n, bins, x, counts);
}
