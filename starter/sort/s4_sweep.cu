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
}

// Turns each count into the place where its digit begins. One block for each pass.
__global__ void start_of_all_digits(int *counts) {
  // TODO(2): scan_block does most of it.
}

// How many keys of one digit are in all tiles before `tile`. states: of this digit in tile 0; that in tile b
// is DIGITS * b further.
__device__ int look_back(int tile, const State *states) {
  // TODO(3): walk back from tile - 1. While a state is UNKNOWN, read it again, as volatile: others write it.
  return 0;
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
  // TODO(5): thread t for digit t: how many keys does the tile have? Publish it immediately, since other blocks
  // wait for it. Then where the keys of each warp begin in the sorted tile.
  // TODO(6): load the values now: until they arrive, the warp ranks its keys.
  // TODO(7): the pairs into the tile: as in step tiles, how many keys of the warp with the same digit are before
  // each key?
  // TODO(8): look back, publish what all tiles up to this one have, and write the result.
}

void sweep(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
           unsigned *sorted_values) {
  // TODO(9): memory for the second copy of the pairs, for the counts, and for the states and the counter of
  // each pass, all 0. Then one launch that counts, one that scans, and one for each pass. More than 48 KiB of
  // shared memory must be asked for with cudaFuncSetAttribute.
}
