// Step private: privatisation. A block counts in bins of its own, in shared memory. When all of its numbers
// are counted, it adds each of its bins to the bins in global memory once.
//
// Far fewer threads collide on each bin, and shared memory is fast. All threads of a block share every part
// of the work: if only one of them clears or adds up the bins, all others wait.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_private(int n, int bins, const unsigned *x, unsigned *counts) {
  extern __shared__ unsigned own[];  // `bins` of them
  // TODO(1): clear the block's own bins with all threads. Which threads must wait for which?
  // BEGIN SOLUTION
  for (int b = threadIdx.x; b < bins; b += THREADS) own[b] = 0;
  __syncthreads();
  // END SOLUTION
  // TODO(2): count the number of this thread there. Its neighbours count too.
  // BEGIN SOLUTION
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(&own[x[i]], 1u);
  __syncthreads();
  // END SOLUTION
  // TODO(3): add the block's bins to `counts` with all threads. Other blocks do this too.
  // BEGIN SOLUTION
  for (int b = threadIdx.x; b < bins; b += THREADS) atomicAdd(&counts[b], own[b]);
  // END SOLUTION
}

void count_private(int n, int bins, const unsigned *x, unsigned *counts) {
  // TODO(4): clear the bins, and launch. The third argument between <<< and >>> is the dynamic shared memory
  // per block, in bytes.
  // BEGIN SOLUTION
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  add_private<<<(n + THREADS - 1) / THREADS, THREADS, bins * sizeof(unsigned)>>>(n, bins, x, counts);
  // END SOLUTION
}
