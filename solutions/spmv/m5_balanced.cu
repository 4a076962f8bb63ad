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
  // STUB: return {rows, entries + steps + ends[0]};
  // BEGIN SOLUTION
  int least = steps > entries ? steps - entries : 0, most = steps < rows ? steps : rows;
  while (least < most) {
    const int middle = (least + most) / 2;
    if (ends[middle] <= steps - middle - 1)
      least = middle + 1;
    else
      most = middle;
  }
  return {least, steps - least};
  // END SOLUTION
}

// y: 0 before the launch
__global__ void multiply_shares(int rows, int entries, const int *start, const int *column,
                                const float *value, const float *x, float *y) {
  [[maybe_unused]] __shared__ int ends[CHUNK];
  [[maybe_unused]] __shared__ float products[CHUNK];
  // TODO(2): where this block's share begins and ends. Two threads search.
  // BEGIN SOLUTION
  __shared__ Place places[2];
  const int t = threadIdx.x;
  if (t < 2) {
    const int steps = (blockIdx.x + t) * CHUNK;
    places[t] = place_after(steps < rows + entries ? steps : rows + entries, rows, entries, start + 1);
  }
  __syncthreads();
  const Place first = places[0];
  const int my_rows = places[1].rows - first.rows, my_entries = places[1].entries - first.entries;
  // END SOLUTION
  // TODO(3): bring the block's row ends, counted from its first entry, and its products. Neighbouring threads
  // take neighbouring ones.
  // BEGIN SOLUTION
  for (int k = t; k < my_rows; k += THREADS) ends[k] = start[first.rows + k + 1] - first.entries;
  for (int k = t; k < my_entries; k += THREADS)
    products[k] = value[first.entries + k] * x[column[first.entries + k]];
  __syncthreads();
  // END SOLUTION
  // TODO(4): this thread's steps. The first row that ends here may have begun in another thread.
  // BEGIN SOLUTION
  const int all = my_rows + my_entries, begin = t * EACH < all ? t * EACH : all;
  Place at = place_after(begin, my_rows, my_entries, ends);
  float sum = 0.0f;
  bool began_here = false;
  for (int step = begin; step < begin + EACH && step < all; ++step) {
    if (at.rows < my_rows && ends[at.rows] <= at.entries) {
      float *result = &y[first.rows + at.rows++];
      if (began_here)
        *result = sum;
      else
        atomicAdd(result, sum);
      began_here = true;
      sum = 0.0f;
    } else {
      sum += products[at.entries++];
    }
  }
  // END SOLUTION
  // TODO(5): what is left belongs to a row that ends in another thread. Add up what neighbouring lanes have
  // of the same row; the first of them adds it to y.
  // BEGIN SOLUTION
  const int lane = t % WARP, before = __shfl_up_sync(ALL, at.rows, 1);
  for (int distance = 1; distance < WARP; distance *= 2) {
    const float other = __shfl_down_sync(ALL, sum, distance);
    const int its_row = __shfl_down_sync(ALL, at.rows, distance);
    if (lane + distance < WARP && its_row == at.rows) sum += other;
  }
  if ((lane == 0 || before != at.rows) && first.rows + at.rows < rows)
    atomicAdd(&y[first.rows + at.rows], sum);
  // END SOLUTION
}

void balanced(int rows, int columns, int entries, const int *start, const int *column, const float *value,
              const float *x, float *y) {
  // TODO(6): clear y, and launch as many blocks as the path needs.
  // BEGIN SOLUTION
  if (rows == 0) return;
  cudaMemset(y, 0, rows * sizeof(float));
  multiply_shares<<<(rows + entries + CHUNK - 1) / CHUNK, THREADS>>>(rows, entries, start, column, value, x,
                                                                     y);
  // END SOLUTION
}
