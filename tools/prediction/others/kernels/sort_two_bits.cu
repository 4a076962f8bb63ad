// Two bits at a time, with places counted by ballots.
#include "sort.h"

[[maybe_unused]] constexpr int THREADS = 512, WARP = 32, WARPS = THREADS / WARP;

__global__ void count_pairs(int n, int shift, const unsigned *keys, int *counts) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const unsigned digit = i < n ? keys[i] >> shift & 3 : 4;
  int mine = 0;
#pragma unroll
  for (unsigned d = 0; d < 4; ++d) {
    const int all = __syncthreads_count(digit == d);
    if (threadIdx.x == d) mine = all;
  }
  if (threadIdx.x < 4) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine;
}

__global__ void start_of_pairs(int n, int *counts) {
  __shared__ int part[1024];
  const int t = threadIdx.x;
  int carry = 0;
  for (int first = 0; first < n; first += 1024) {
    const int mine = first + t < n ? counts[first + t] : 0;
    part[t] = mine;
    __syncthreads();
    for (int distance = 1; distance < 1024; distance *= 2) {
      const int before = t >= distance ? part[t - distance] : 0;
      __syncthreads();
      part[t] += before;
      __syncthreads();
    }
    if (first + t < n) counts[first + t] = carry + part[t] - mine;
    carry += part[1023];
    __syncthreads();
  }
}

__global__ void move_pairs(int n, int shift, const int *starts, const unsigned *keys, const unsigned *values,
                           unsigned *to_keys, unsigned *to_values) {
  __shared__ int warps[WARPS][4];
  const int t = threadIdx.x, lane = t % WARP, warp = t / WARP, i = blockIdx.x * THREADS + t;
  const unsigned key = i < n ? keys[i] : 0, digit = i < n ? key >> shift & 3 : 4;
  unsigned same = 0;
#pragma unroll
  for (unsigned d = 0; d < 4; ++d) {
    const unsigned here = __ballot_sync(0xffffffff, digit == d);
    if (digit == d) same = here;
    if (lane == 0) warps[warp][d] = __popc(here);
  }
  __syncthreads();
  if (i >= n) return;
  int place = starts[digit * gridDim.x + blockIdx.x] + __popc(same & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) place += warps[w][digit];
  to_keys[place] = key;
  to_values[place] = values[i];
}

void digits(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
            unsigned *sorted_values) {
  if (n == 0) return;
  const int blocks = (n + THREADS - 1) / THREADS;
  unsigned *other;
  int *counts;
  cudaMalloc(&other, 2 * n * sizeof(unsigned));
  cudaMalloc(&counts, 4 * blocks * sizeof(int));
  for (int shift = 0; shift < 32; shift += 2) {
    const bool to_other = shift / 2 % 2 == 0;
    unsigned *to_keys = to_other ? other : sorted_keys, *to_values = to_other ? other + n : sorted_values;
    count_pairs<<<blocks, THREADS>>>(n, shift, keys, counts);
    start_of_pairs<<<1, 1024>>>(4 * blocks, counts);
    move_pairs<<<blocks, THREADS>>>(n, shift, counts, keys, values, to_keys, to_values);
    keys = to_keys;
    values = to_values;
  }
  cudaFree(other);
  cudaFree(counts);
}
