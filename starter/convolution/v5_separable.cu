// Step separable: some weights are products of one factor for the row and one for the column. Then two sums
// of SIDE products replace one of SIDE x SIDE: along the rows first, and of these results along the columns.
//
// Between the two, a block keeps the results of the first in shared memory. It needs them for REACH rows
// above and below its own, too.
#include "convolution.h"

[[maybe_unused]] constexpr int EDGE = 16, REACH = 2, SIDE = 2 * REACH + 1, PART = EDGE + 2 * REACH;

__constant__ float in_row[SIDE], in_column[SIDE];

__global__ void filter_twice(int height, int width, const float *x, float *y) {
  [[maybe_unused]] __shared__ float part[PART][PART], sums[PART][EDGE];
  // TODO(1): bring the tile and its halo, as in step tiled.
  // TODO(2): sums along the rows, for all PART rows of the tile. Who needs them, and when?
  // TODO(3): of these, the sums along the columns.
}

void separable(int height, int width, const float *x, const float *across, const float *down, float *y) {
  // TODO(4): copy both sets of weights to constant memory, and launch.
}
