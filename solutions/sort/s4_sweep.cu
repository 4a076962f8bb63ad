// Step sweep: eight bits a pass, and each pass reads the keys once (Adinets and Merrill, 2022).
//
// Sorting does not change how often a digit occurs. So one kernel counts the digits of all four passes ahead.
// A pass then needs to know only how many keys of each digit are in the tiles before, and each block looks
// back for this, as in a scan in one pass: one thread for each of the 256 digits.
#include "sort.h"

[[maybe_unused]] constexpr int THREADS = 384, WARP = 32, WARPS = THREADS / WARP, EACH = 18,
                               TILE = THREADS * EACH;
[[maybe_unused]] constexpr int KEY = 32, BITS = 8, DIGITS = 1 << BITS, PASSES = KEY / BITS;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part; also the largest key
using State = unsigned;
[[maybe_unused]] constexpr State UNKNOWN = 0, OWN = 1, WHOLE = 2;  // in the upper two bits; a count below
[[maybe_unused]] constexpr int KIND = 30;                          // where these two bits are

static_assert(THREADS >= DIGITS, "a thread for each digit");

__device__ unsigned digit_of(unsigned key, int shift) {
  return key >> shift & (DIGITS - 1);
}

__device__ State state_of(State kind, int count) {
  return kind << KIND | static_cast<unsigned>(count);
}

// The sum over this thread and all before it in the block. warps: a number for each of its warps, in shared
// memory that nobody uses before the next barrier.
__device__ int scan_block(int mine, int *warps) {
  const int t = threadIdx.x, lane = t % WARP;
  for (int distance = 1; distance < WARP; distance *= 2) {
    const int other = __shfl_up_sync(ALL, mine, distance);
    if (lane >= distance) mine += other;
  }
  if (lane == WARP - 1) warps[t / WARP] = mine;
  __syncthreads();
  for (int w = 0; w < t / WARP; ++w) mine += warps[w];
  return mine;
}

// counts[p * DIGITS + d] += how many keys have digit d in pass p. Any number of blocks of DIGITS threads.
__global__ void count_all_digits(int n, const unsigned *keys, int *counts) {
  // TODO(1): PASSES histograms in shared memory, added to those in global memory at the end.
  // BEGIN SOLUTION
  __shared__ int own[PASSES][DIGITS];
  for (int p = 0; p < PASSES; ++p) own[p][threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * DIGITS + threadIdx.x; i < n; i += gridDim.x * DIGITS) {
    const unsigned key = keys[i];
    for (int p = 0; p < PASSES; ++p) atomicAdd(&own[p][digit_of(key, p * BITS)], 1);
  }
  __syncthreads();
  for (int p = 0; p < PASSES; ++p) {
    const int count = own[p][threadIdx.x];
    if (count > 0) atomicAdd(&counts[p * DIGITS + threadIdx.x], count);
  }
  // END SOLUTION
}

// Turns each count into the place where its digit begins. One block for each pass.
__global__ void start_of_all_digits(int *counts) {
  // TODO(2): scan_block does most of it.
  // BEGIN SOLUTION
  __shared__ int warps[WARPS];
  int *const own = counts + blockIdx.x * DIGITS + threadIdx.x;
  const int mine = *own;
  *own = scan_block(mine, warps) - mine;
  // END SOLUTION
}

// How many keys of one digit are in all tiles before `tile`. states: of this digit in tile 0; that in tile b
// is DIGITS * b further.
__device__ int look_back(int tile, const State *states) {
  // TODO(3): walk back from tile - 1. While a state is UNKNOWN, read it again, as volatile: others write it.
  // STUB: return 0;
  // BEGIN SOLUTION
  int before = 0;
  for (int b = tile - 1; b >= 0;) {
    const State found = *const_cast<const volatile State *>(states + b * DIGITS);
    if (found >> KIND == UNKNOWN) continue;
    before += static_cast<int>(found & ((1u << KIND) - 1));
    if (found >> KIND == WHOLE) break;
    --b;
  }
  return before;
  // END SOLUTION
}

// starts: where each digit begins in the result. states, next: 0 before the launch; next counts the blocks
// that have begun. The tile is in dynamic shared memory: keys, then values, TILE each.
__global__ void __launch_bounds__(THREADS, 2)
    sweep_tiles(int n, int shift, const int *starts, State *states, int *next, const unsigned *keys,
                const unsigned *values, unsigned *to_keys, unsigned *to_values) {
  extern __shared__ unsigned tile_keys[];
  [[maybe_unused]] unsigned *const tile_values = tile_keys + TILE;
  [[maybe_unused]] __shared__ int warps[WARPS][DIGITS];  // a count or a place, for each digit of each warp
  [[maybe_unused]] __shared__ int shifts[DIGITS];        // from a place in the tile to one in the result
  [[maybe_unused]] __shared__ int sums[WARPS], number;
  [[maybe_unused]] const int t = threadIdx.x, lane = t % WARP, warp = t / WARP;
  // TODO(4): a number for this tile, in the order in which blocks begin. How many keys of each digit does each
  // warp have?
  // BEGIN SOLUTION
  if (t == 0) number = atomicAdd(next, 1);
  for (int d = lane; d < DIGITS; d += WARP) warps[warp][d] = 0;
  __syncthreads();
  const int tile = number, first = tile * TILE, mine = first + warp * EACH * WARP + lane;
  unsigned key[EACH], value[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const int i = mine + k * WARP;
    key[k] = i < n ? keys[i] : ALL;
  }
#pragma unroll
  for (int k = 0; k < EACH; ++k) atomicAdd(&warps[warp][digit_of(key[k], shift)], 1);
  __syncthreads();
  // END SOLUTION
  // TODO(5): thread t for digit t: how many keys does the tile have? Publish it immediately, since other blocks
  // wait for it. Then where the keys of each warp begin in the sorted tile.
  // BEGIN SOLUTION
  State *const state = states + tile * DIGITS + t;
  int count = 0;
  if (t < DIGITS) {
    for (int w = 0; w < WARPS; ++w) count += warps[w][t];
    atomicExch(state, state_of(tile == 0 ? WHOLE : OWN, count));
  }
  const int begin = scan_block(count, sums) - count;
  if (t < DIGITS) {
    int place = begin;
    for (int w = 0; w < WARPS; ++w) {
      const int here = warps[w][t];
      warps[w][t] = place;
      place += here;
    }
  }
  // END SOLUTION
  // TODO(6): load the values now: until they arrive, the warp ranks its keys.
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const int i = mine + k * WARP;
    value[k] = i < n ? values[i] : 0;
  }
  __syncthreads();
  // END SOLUTION
  // TODO(7): the pairs into the tile: as in step tiles, how many keys of the warp with the same digit are before
  // each key?
  // BEGIN SOLUTION
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const unsigned digit = digit_of(key[k], shift);
    unsigned same = ALL;
#pragma unroll
    for (int b = 0; b < BITS; ++b) {
      const bool one = (digit >> b & 1) == 1;
      const unsigned ones = __ballot_sync(ALL, one);
      same &= one ? ones : ~ones;
    }
    const unsigned before = same & ((1u << lane) - 1);
    const int place = warps[warp][digit] + __popc(before);
    __syncwarp();
    if (before == 0) warps[warp][digit] += __popc(same);
    __syncwarp();
    tile_keys[place] = key[k];
    tile_values[place] = value[k];
  }
  // END SOLUTION
  // TODO(8): look back, publish what all tiles up to this one have, and write the result.
  // BEGIN SOLUTION
  if (t < DIGITS) {
    const int before_tile = tile == 0 ? 0 : look_back(tile, states + t);
    if (tile > 0) atomicExch(state, state_of(WHOLE, before_tile + count));
    shifts[t] = starts[t] + before_tile - begin;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const int p = t + k * THREADS;
    if (first + p < n) {
      const unsigned sorted = tile_keys[p];
      const int to = shifts[digit_of(sorted, shift)] + p;
      to_keys[to] = sorted;
      to_values[to] = tile_values[p];
    }
  }
  // END SOLUTION
}

void sweep(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
           unsigned *sorted_values) {
  // TODO(9): memory for the second copy of the pairs, for the counts, and for the states and the counter of
  // each pass, all 0. Then one launch that counts, one that scans, and one for each pass. More than 48 KiB of
  // shared memory must be asked for with cudaFuncSetAttribute.
  // BEGIN SOLUTION
  if (n == 0) return;
  const int blocks = (n + TILE - 1) / TILE, counting = blocks < 1024 ? blocks : 1024,
            tile_bytes = 2 * TILE * sizeof(unsigned);
  unsigned *other;
  int *counts, *next;
  State *states;
  cudaMalloc(&other, 2 * n * sizeof(unsigned));
  cudaMalloc(&counts, PASSES * DIGITS * sizeof(int));
  cudaMalloc(&next, PASSES * sizeof(int));
  cudaMalloc(&states, PASSES * blocks * DIGITS * sizeof(State));
  cudaMemset(counts, 0, PASSES * DIGITS * sizeof(int));
  cudaMemset(next, 0, PASSES * sizeof(int));
  cudaMemset(states, 0, PASSES * blocks * DIGITS * sizeof(State));
  cudaFuncSetAttribute(sweep_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, tile_bytes);
  count_all_digits<<<counting, DIGITS>>>(n, keys, counts);
  start_of_all_digits<<<PASSES, DIGITS>>>(counts);
  for (int p = 0; p < PASSES; ++p) {
    const bool to_other = p % 2 == 0;
    unsigned *to_keys = to_other ? other : sorted_keys, *to_values = to_other ? other + n : sorted_values;
    sweep_tiles<<<blocks, THREADS, tile_bytes>>>(n, p * BITS, counts + p * DIGITS,
                                                 states + p * blocks * DIGITS, next + p, keys, values,
                                                 to_keys, to_values);
    keys = to_keys;
    values = to_values;
  }
  cudaFree(other);
  cudaFree(counts);
  cudaFree(next);
  cudaFree(states);
  // END SOLUTION
}
