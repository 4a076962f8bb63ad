// Step crowded: most of the numbers are equal. All lanes of a warp then want the same private bin, and wait
// for each other.
//
// A thread that meets the same number several times in a row need not add each of them at once.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256, EACH = 32;

__global__ void add_crowded(int n, int bins, const unsigned *x, unsigned *counts) {
  extern __shared__ unsigned own[];  // `bins` of them
  // TODO(1): let a thread remember a number and how often it has seen it, and add to the private bin only
  // when another number comes, and at the end.
  // BEGIN SOLUTION
  for (int b = threadIdx.x; b < bins; b += THREADS) own[b] = 0;
  __syncthreads();
  const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
  unsigned last = 0, met = 0;
#pragma unroll 8
  for (int k = 0; k < EACH; ++k) {
    const int i = first + k * THREADS;
    if (i >= n) break;
    const unsigned number = x[i];
    if (number != last) {
      if (met > 0) atomicAdd(&own[last], met);
      last = number;
      met = 0;
    }
    ++met;
  }
  if (met > 0) atomicAdd(&own[last], met);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += THREADS) atomicAdd(&counts[b], own[b]);
  // END SOLUTION
}

void count_crowded(int n, int bins, const unsigned *x, unsigned *counts) {
  // TODO(2): clear the bins, and launch.
  // BEGIN SOLUTION
  const int numbers = THREADS * EACH;  // of a block
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  add_crowded<<<(n + numbers - 1) / numbers, THREADS, bins * sizeof(unsigned)>>>(n, bins, x, counts);
  // END SOLUTION
}
