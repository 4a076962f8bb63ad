// Step tiles: a block sorts a tile of 4096 pairs in shared memory before it writes them. Neighbouring threads
// then write neighbouring places.
//
// In step digits, the 32 lanes of a warp write to up to 16 places far apart, and each costs a sector of its
// own. In a sorted tile, the pairs of a digit are one piece of about 256 pairs.
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
  // TODO(1): as in step digits.
  return ALL;
}

// counts[d * gridDim.x + b] = how many keys of tile b have digit d.
__global__ void count_tiles(int n, int shift, const unsigned *keys, int *counts) {
  // TODO(2): as in step digits, with a loop over the tile. If each warp counts for itself, fewer threads meet
  // at each counter.
}

// starts[k] = counts[0] + ... + counts[k - 1]. One block of SCAN threads runs this.
__global__ void start_of_tiles(int entries, const int *counts, int *starts) {
  // TODO(3): as before. Shuffles within warps need fewer barriers.
}

__global__ void move_tiles(int n, int shift, const int *starts, const unsigned *keys, const unsigned *values,
                           unsigned *to_keys, unsigned *to_values) {
  [[maybe_unused]] __shared__ unsigned tile_keys[TILE], tile_values[TILE];
  [[maybe_unused]] __shared__ int warps[WARPS][DIGITS];  // how many keys of each digit each warp has met
  [[maybe_unused]] __shared__ int begins[DIGITS];        // where each digit begins in the sorted tile
  [[maybe_unused]] const int t = threadIdx.x, lane = t % WARP, warp = t / WARP, first = blockIdx.x * TILE;
  // TODO(4): each warp takes EACH * WARP neighbouring keys, WARP at a time. How many keys of its warp with
  // the same digit are before each? Beyond the end, the key is ALL: such pairs come last in the tile.
  // TODO(5): warps[w][d] becomes how many keys of digit d are in the warps before w; begins[d], how many of
  // the tile have smaller digits. One thread for each digit is enough.
  // TODO(6): the pairs into the tile, each to its place.
  // TODO(7): from the tile to the result; neighbouring threads take neighbouring pairs.
}

void tiles(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
           unsigned *sorted_values) {
  // TODO(8): as in step digits.
}
