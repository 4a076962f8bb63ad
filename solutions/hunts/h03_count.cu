// Hunt h03: counts[b] = how many of x[0] ... x[n - 1] equal b. Each block counts in bins of its own, in shared
// memory, and adds them to the counts.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// STUB: // answer line:
// STUB: // answer cause:
// BEGIN SOLUTION
// answer line: 14
// answer cause: uninitialised
// END SOLUTION
#include "hunts.h"

constexpr int THREADS = 128;
constexpr int EACH = 8;  // numbers of a thread

__global__ void count_privately(int n, int bins, const unsigned *x, unsigned *counts) {
  extern __shared__ unsigned mine[];
  const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
  // BEGIN FIX
  for (int b = threadIdx.x; b < bins; b += THREADS) mine[b] = 0;
  __syncthreads();
  // END FIX
  for (int k = 0; k < EACH; ++k) {
    const int i = first + k * THREADS;
    if (i < n) atomicAdd(&mine[x[i]], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += THREADS) {
    if (mine[b] > 0) atomicAdd(&counts[b], mine[b]);
  }
}

void count_shared(int n, int bins, const unsigned *x, unsigned *counts) {
  cudaMemsetAsync(counts, 0, bins * sizeof(unsigned));
  const int blocks = (n + THREADS * EACH - 1) / (THREADS * EACH);
  count_privately<<<blocks, THREADS, bins * sizeof(unsigned)>>>(n, bins, x, counts);
}
