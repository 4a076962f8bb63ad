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
  return ALL;
}

// counts[d * gridDim.x + b] = how many keys of block b have digit d.
__global__ void count_digits(int n, int shift, const unsigned *keys, int *counts) {
  // TODO(2): a histogram in shared memory.
}

// starts[k] = counts[0] + ... + counts[k - 1]. One block runs this.
__global__ void start_of_digits(int entries, const int *counts, int *starts) {
  // TODO(3): as in step bits.
}

__global__ void move_by_digit(int n, int shift, const int *starts, const unsigned *keys,
                              const unsigned *values, unsigned *to_keys, unsigned *to_values) {
  // TODO(4): how many keys of each digit does each warp of the block have? Threads beyond the end must not
  // come before a key.
  // TODO(5): the place of this thread's pair.
}

void digits(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
            unsigned *sorted_values) {
  // TODO(6): as in step bits.
}
