// Adds the place in the tile, and forgets where the digit begins there.
// Verdict: out of bounds, at the line that writes the key.
#include "sort.h"

[[maybe_unused]] constexpr int THREADS = 256, WARP = 32, WARPS = THREADS / WARP, EACH = 16,
                               TILE = THREADS * EACH;
[[maybe_unused]] constexpr int KEY = 32, BITS = 4, DIGITS = 1 << BITS;
[[maybe_unused]] constexpr int SCAN = 1024;            // threads of the scan
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part; also the largest key

__device__ unsigned digit_of(unsigned key, int shift) {
  return key >> shift & (DIGITS - 1);
}

// The lanes of this warp that have the same digit, as bits.
__device__ unsigned lanes_with(unsigned digit) {
  unsigned same = ALL;
  for (int b = 0; b < BITS; ++b) {
    const bool one = (digit >> b & 1) == 1;
    const unsigned ones = __ballot_sync(ALL, one);
    same &= one ? ones : ~ones;
  }
  return same;
}

// counts[d * gridDim.x + b] = how many keys of tile b have digit d.
__global__ void count_tiles(int n, int shift, const unsigned *keys, int *counts) {
  __shared__ int own[WARPS][DIGITS];
  const int t = threadIdx.x, first = blockIdx.x * TILE;
  if (t < WARPS * DIGITS) own[t / DIGITS][t % DIGITS] = 0;
  __syncthreads();
  for (int p = t; p < TILE; p += THREADS)
    if (first + p < n) atomicAdd(&own[t / WARP][digit_of(keys[first + p], shift)], 1);
  __syncthreads();
  if (t < DIGITS) {
    int sum = 0;
    for (int w = 0; w < WARPS; ++w) sum += own[w][t];
    counts[t * gridDim.x + blockIdx.x] = sum;
  }
}

// starts[k] = counts[0] + ... + counts[k - 1]. One block of SCAN threads runs this.
__global__ void start_of_tiles(int entries, const int *counts, int *starts) {
  __shared__ int warps[SCAN / WARP];
  const int t = threadIdx.x, lane = t % WARP;
  int carry = 0;
  for (int first = 0; first < entries; first += SCAN) {
    const int mine = first + t < entries ? counts[first + t] : 0;
    int through = mine;
    for (int distance = 1; distance < WARP; distance *= 2) {
      const int other = __shfl_up_sync(ALL, through, distance);
      if (lane >= distance) through += other;
    }
    if (lane == WARP - 1) warps[t / WARP] = through;
    __syncthreads();
    int before = carry + through - mine;
    for (int w = 0; w < SCAN / WARP; ++w) {
      if (w < t / WARP) before += warps[w];
      carry += warps[w];
    }
    if (first + t < entries) starts[first + t] = before;
    __syncthreads();
  }
}

__global__ void move_tiles(int n, int shift, const int *starts, const unsigned *keys, const unsigned *values,
                           unsigned *to_keys, unsigned *to_values) {
  [[maybe_unused]] __shared__ unsigned tile_keys[TILE], tile_values[TILE];
  [[maybe_unused]] __shared__ int warps[WARPS][DIGITS];  // how many keys of each digit each warp has met
  [[maybe_unused]] __shared__ int begins[DIGITS];        // where each digit begins in the sorted tile
  [[maybe_unused]] const int t = threadIdx.x, lane = t % WARP, warp = t / WARP, first = blockIdx.x * TILE;
  const int mine = first + warp * EACH * WARP + lane;
  unsigned key[EACH];
  int rank[EACH];
  if (lane < DIGITS) warps[warp][lane] = 0;
  __syncwarp();
  for (int k = 0; k < EACH; ++k) {
    const int i = mine + k * WARP;
    key[k] = i < n ? keys[i] : ALL;
    const unsigned digit = digit_of(key[k], shift), same = lanes_with(digit),
                   before = same & ((1u << lane) - 1);
    rank[k] = warps[warp][digit] + __popc(before);
    __syncwarp();
    if (before == 0) warps[warp][digit] += __popc(same);
    __syncwarp();
  }
  __syncthreads();
  if (t < DIGITS) {
    int sum = 0;
    for (int w = 0; w < WARPS; ++w) {
      const int here = warps[w][t];
      warps[w][t] = sum;
      sum += here;
    }
    int through = sum;
    for (int distance = 1; distance < DIGITS; distance *= 2) {
      const int other = __shfl_up_sync((1u << DIGITS) - 1, through, distance);
      if (t >= distance) through += other;
    }
    begins[t] = through - sum;
  }
  __syncthreads();
  for (int k = 0; k < EACH; ++k) {
    const unsigned digit = digit_of(key[k], shift);
    const int i = mine + k * WARP, place = begins[digit] + warps[warp][digit] + rank[k];
    tile_keys[place] = key[k];
    if (i < n) tile_values[place] = values[i];
  }
  __syncthreads();
  for (int p = t; p < TILE && first + p < n; p += THREADS) {
    const unsigned digit = digit_of(tile_keys[p], shift);
    const int to = starts[digit * gridDim.x + blockIdx.x] + p;
    to_keys[to] = tile_keys[p];
    to_values[to] = tile_values[p];
  }
}

void tiles(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
           unsigned *sorted_values) {
  if (n == 0) return;
  const int blocks = (n + TILE - 1) / TILE, entries = DIGITS * blocks;
  unsigned *other;
  int *counts;
  cudaMalloc(&other, 2 * n * sizeof(unsigned));
  cudaMalloc(&counts, 2 * entries * sizeof(int));
  for (int shift = 0; shift < KEY; shift += BITS) {
    const bool to_other = shift / BITS % 2 == 0;
    unsigned *to_keys = to_other ? other : sorted_keys, *to_values = to_other ? other + n : sorted_values;
    count_tiles<<<blocks, THREADS>>>(n, shift, keys, counts);
    start_of_tiles<<<1, SCAN>>>(entries, counts, counts + entries);
    move_tiles<<<blocks, THREADS>>>(n, shift, counts + entries, keys, values, to_keys, to_values);
    keys = to_keys;
    values = to_values;
  }
  cudaFree(other);
  cudaFree(counts);
}
