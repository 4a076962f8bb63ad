// Gives cudaMemset the number of bins instead of their bytes.
// Verdict: wrong answer: three quarters of the bins begin with what was there.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_direct(int n, const unsigned *x, unsigned *counts) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1u);
}

void count_direct(int n, int bins, const unsigned *x, unsigned *counts) {
  cudaMemset(counts, 0, bins);
  add_direct<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, counts);
}
