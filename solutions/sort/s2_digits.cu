// Step digits: four bits a pass. Eight passes instead of 32 move the pairs eight times instead of 32 times.
//
// A digit has 16 values. A key goes after all keys with smaller digits, after those with the same digit in
// the blocks before, and after those with the same digit before it in its own block. The first two are one
// scan, if the counts are in the right order: all blocks of digit 0, then all blocks of digit 1, and so on.
#include "sort.h"

[[maybe_unused]] constexpr int THREADS = 256, WARP = 32, KEY = 32, BITS = 4, DIGITS = 1 << BITS;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

__device__ unsigned digit_of(unsigned key, int shift) {
  return key >> shift & (DIGITS - 1);
}

// The lanes of this warp that have the same digit, as bits.
__device__ unsigned lanes_with(unsigned digit) {
  // TODO(1): one ballot for each bit of the digit. Which lanes are left after each?
  // STUB: return ALL;
  // BEGIN SOLUTION
  unsigned same = ALL;
  for (int b = 0; b < BITS; ++b) {
    const bool one = (digit >> b & 1) == 1;
    const unsigned ones = __ballot_sync(ALL, one);
    same &= one ? ones : ~ones;
  }
  return same;
  // END SOLUTION
}

// counts[d * gridDim.x + b] = how many keys of block b have digit d.
__global__ void count_digits(int n, int shift, const unsigned *keys, int *counts) {
  // TODO(2): a histogram in shared memory.
  // BEGIN SOLUTION
  __shared__ int own[DIGITS];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  if (t < DIGITS) own[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&own[digit_of(keys[i], shift)], 1);
  __syncthreads();
  if (t < DIGITS) counts[t * gridDim.x + blockIdx.x] = own[t];
  // END SOLUTION
}

// starts[k] = counts[0] + ... + counts[k - 1]. One block runs this.
__global__ void start_of_digits(int entries, const int *counts, int *starts) {
  // TODO(3): as in step bits.
  // BEGIN SOLUTION
  __shared__ int part[THREADS];
  const int t = threadIdx.x;
  int carry = 0;
  for (int first = 0; first < entries; first += THREADS) {
    const int mine = first + t < entries ? counts[first + t] : 0;
    part[t] = mine;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
      const int before = t >= distance ? part[t - distance] : 0;
      __syncthreads();
      part[t] += before;
      __syncthreads();
    }
    if (first + t < entries) starts[first + t] = carry + part[t] - mine;
    carry += part[THREADS - 1];
    __syncthreads();
  }
  // END SOLUTION
}

__global__ void move_by_digit(int n, int shift, const int *starts, const unsigned *keys,
                              const unsigned *values, unsigned *to_keys, unsigned *to_values) {
  // TODO(4): how many keys of each digit does each warp of the block have? Threads beyond the end must not
  // come before a key.
  // BEGIN SOLUTION
  __shared__ int warps[THREADS / WARP][DIGITS];
  const int t = threadIdx.x, lane = t % WARP, warp = t / WARP, i = blockIdx.x * THREADS + t;
  const unsigned digit = i < n ? digit_of(keys[i], shift) : DIGITS - 1;
  const unsigned same = lanes_with(digit), before = same & ((1u << lane) - 1);
  if (lane < DIGITS) warps[warp][lane] = 0;
  __syncwarp();
  if (before == 0) warps[warp][digit] = __popc(same);
  __syncthreads();
  // END SOLUTION
  // TODO(5): the place of this thread's pair.
  // BEGIN SOLUTION
  int place = starts[digit * gridDim.x + blockIdx.x] + __popc(before);
  for (int w = 0; w < warp; ++w) place += warps[w][digit];
  if (i < n) {
    to_keys[place] = keys[i];
    to_values[place] = values[i];
  }
  // END SOLUTION
}

void digits(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
            unsigned *sorted_values) {
  // TODO(6): as in step bits.
  // BEGIN SOLUTION
  if (n == 0) return;
  const int blocks = (n + THREADS - 1) / THREADS, entries = DIGITS * blocks;
  unsigned *other;
  int *counts;
  cudaMalloc(&other, 2 * n * sizeof(unsigned));
  cudaMalloc(&counts, 2 * entries * sizeof(int));
  for (int shift = 0; shift < KEY; shift += BITS) {
    const bool to_other = shift / BITS % 2 == 0;
    unsigned *to_keys = to_other ? other : sorted_keys, *to_values = to_other ? other + n : sorted_values;
    count_digits<<<blocks, THREADS>>>(n, shift, keys, counts);
    start_of_digits<<<1, THREADS>>>(entries, counts, counts + entries);
    move_by_digit<<<blocks, THREADS>>>(n, shift, counts + entries, keys, values, to_keys, to_values);
    keys = to_keys;
    values = to_values;
  }
  cudaFree(other);
  cudaFree(counts);
  // END SOLUTION
}
