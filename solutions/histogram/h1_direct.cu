// Step direct: one thread for each number, which adds one to a bin in global memory.
//
// Other threads add to the same bin at the same time. What happens to counts[b] = counts[b] + 1 then?
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_direct(int n, const unsigned *x, unsigned *counts) {
  // TODO(1): count the number of this thread. The last block has too many threads.
  // BEGIN SOLUTION
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1u);
  // END SOLUTION
}

void count_direct(int n, int bins, const unsigned *x, unsigned *counts) {
  // TODO(2): set all bins to 0 (with cudaMemset), then launch one thread for each number.
  // BEGIN SOLUTION
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  add_direct<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, counts);
  // END SOLUTION
}
