// Lanes with the same number elect one that adds for all of them.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256, EACH = 16;

__global__ void add_matched(int n, int bins, const unsigned *x, unsigned *counts) {
  extern __shared__ unsigned own[];  // `bins` of them
  for (int b = threadIdx.x; b < bins; b += THREADS) own[b] = 0;
  __syncthreads();
  const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll 4
  for (int k = 0; k < EACH; ++k) {
    const int i = first + k * THREADS;
    const unsigned number = i < n ? x[i] : 0xffffffff, same = __match_any_sync(0xffffffff, number);
    if (i < n && threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&own[number], __popc(same));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += THREADS) atomicAdd(&counts[b], own[b]);
}

void count_crowded(int n, int bins, const unsigned *x, unsigned *counts) {
  constexpr int numbers = THREADS * EACH;
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  add_matched<<<(n + numbers - 1) / numbers, THREADS, bins * sizeof(unsigned)>>>(n, bins, x, counts);
}
