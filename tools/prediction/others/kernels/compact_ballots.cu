// Warps count what they keep by ballots; a block of 1024 threads scans the counts.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 256, WARP = 32, EACH = 4, WARPS = THREADS / WARP,
                               OF_BLOCK = THREADS * EACH;

__global__ void count_by_warps(int n, const int *x, int *counts) {
  const int warp = blockIdx.x * WARPS + threadIdx.x / WARP, first = warp * EACH * WARP + threadIdx.x % WARP;
  int kept = 0;
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    kept += __popc(__ballot_sync(0xffffffff, first + k * WARP < n && x[first + k * WARP] >= 0));
  if (threadIdx.x % WARP == 0) counts[warp] = kept;
}

__global__ void scan_counts(int n, int *counts, int *kept) {
  __shared__ int part[1024];
  const int t = threadIdx.x;
  int carry = 0;
  for (int first = 0; first < n; first += 4096) {
    int mine[4], sum = 0;
    for (int k = 0; k < 4; ++k) {
      const int i = first + 4 * t + k;
      mine[k] = i < n ? counts[i] : 0;
      sum += mine[k];
    }
    part[t] = sum;
    __syncthreads();
    for (int distance = 1; distance < 1024; distance *= 2) {
      const int before = t >= distance ? part[t - distance] : 0;
      __syncthreads();
      part[t] += before;
      __syncthreads();
    }
    int before = carry + part[t] - sum;
    for (int k = 0; k < 4; ++k) {
      if (const int i = first + 4 * t + k; i < n) counts[i] = before;
      before += mine[k];
    }
    carry += part[1023];
    __syncthreads();
  }
  if (t == 0) *kept = carry;
}

__global__ void move_kept(int n, const int *x, int *y, const int *starts) {
  const int lane = threadIdx.x % WARP, warp = blockIdx.x * WARPS + threadIdx.x / WARP,
            first = warp * EACH * WARP + lane;
  int to = starts[warp];
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const int i = first + k * WARP, v = i < n ? x[i] : -1;
    const unsigned kept = __ballot_sync(0xffffffff, v >= 0);
    if (v >= 0) y[to + __popc(kept & ((1u << lane) - 1))] = v;
    to += __popc(kept);
  }
}

void compact(int n, const int *x, int *y, int *kept) {
  const int blocks = (n + OF_BLOCK - 1) / OF_BLOCK;
  int *counts;
  cudaMalloc(&counts, (blocks + 1) * WARPS * sizeof(int));
  if (blocks > 0) count_by_warps<<<blocks, THREADS>>>(n, x, counts);
  scan_counts<<<1, 1024>>>(blocks * WARPS, counts, kept);
  if (blocks > 0) move_kept<<<blocks, THREADS>>>(n, x, y, counts);
  cudaFree(counts);
}
