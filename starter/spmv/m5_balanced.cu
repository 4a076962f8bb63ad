// Step balanced: every thread gets the same amount of work, however long the rows are (Merrill and Garland,
// "Merge-based parallel sparse matrix-vector multiplication", 2016).
//
// The work is a path of rows + entries steps. A step either multiplies an entry, or ends a row and writes its
// sum. Row ends and entries are merged in the order in which one thread would meet them: the end of row r
// comes after entry start[r + 1] - 1. Any place on this path can be found by binary search, so each block
// takes CHUNK steps, and each of its threads EACH of these. A thread may begin and end in the middle of a
// row: what it has of these two rows is added atomically, after the lanes of its warp have added theirs up.
#include "spmv.h"

// EACH is odd: the threads of a warp read products that are EACH words apart, and so are in different banks.
[[maybe_unused]] constexpr int THREADS = 128, EACH = 9, CHUNK = THREADS * EACH, WARP = 32;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

// A place on the path: how many rows have ended before it, and how many entries lie before it.
struct Place {
  int rows, entries;
};

// The place after `steps` steps. Row r ends when ends[r] entries lie before it.
__device__ Place place_after(int steps, int rows, int entries, const int *ends) {
  // TODO(1): the fewest rows r for which ends[r] > steps - r - 1, by binary search. At least steps - entries
  // rows have ended, and at most steps.
  return {rows, entries + steps + ends[0]};
}

// y: 0 before the launch
__global__ void multiply_shares(int rows, int entries, const int *start, const int *column,
                                const float *value, const float *x, float *y) {
  [[maybe_unused]] __shared__ int ends[CHUNK];
  [[maybe_unused]] __shared__ float products[CHUNK];
  // TODO(2): where this block's share begins and ends. Two threads search.
  // TODO(3): bring the block's row ends, counted from its first entry, and its products. Neighbouring threads
  // take neighbouring ones.
  // TODO(4): this thread's steps. The first row that ends here may have begun in another thread.
  // TODO(5): what is left belongs to a row that ends in another thread. Add up what neighbouring lanes have
  // of the same row; the first of them adds it to y.
}

void balanced(int rows, int columns, int entries, const int *start, const int *column, const float *value,
              const float *x, float *y) {
  // TODO(6): clear y, and launch as many blocks as the path needs.
}
