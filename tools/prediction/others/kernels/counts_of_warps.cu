// Each warp has counters of its own in shared memory, and reads vectors of four numbers.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 128, WARP = 32, WARPS = THREADS / WARP, EACH = 8;

__global__ void add_by_warps(int n, int bins, const unsigned *x, unsigned *counts) {
  extern __shared__ unsigned own[];  // `bins` for each warp
  for (int b = threadIdx.x; b < WARPS * bins; b += THREADS) own[b] = 0;
  __syncthreads();
  unsigned *const mine = own + threadIdx.x / WARP * bins;
  const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const int i = 4 * (first + k * THREADS);
    if (i + 3 < n) {
      const uint4 v = *reinterpret_cast<const uint4 *>(x + i);
      atomicAdd(&mine[v.x], 1u), atomicAdd(&mine[v.y], 1u), atomicAdd(&mine[v.z], 1u),
          atomicAdd(&mine[v.w], 1u);
    } else {
      for (int j = i; j < n; ++j) atomicAdd(&mine[x[j]], 1u);
    }
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += THREADS) {
    unsigned sum = 0;
    for (int w = 0; w < WARPS; ++w) sum += own[w * bins + b];
    atomicAdd(&counts[b], sum);
  }
}

void count_private(int n, int bins, const unsigned *x, unsigned *counts) {
  constexpr int numbers = 4 * THREADS * EACH;
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  add_by_warps<<<(n + numbers - 1) / numbers, THREADS, WARPS * bins * sizeof(unsigned)>>>(n, bins, x, counts);
}
