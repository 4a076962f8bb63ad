// Step ell: one thread for each row again, with another format: all rows are padded to the same length and
// stored column by column.
//
// Entry k of neighbouring rows is in neighbouring places, so the loads of a warp are coalesced although each
// thread walks along a row of its own. The price is the padding, which is read too: one long row makes all
// rows long.
#include "spmv.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void multiply_padded_rows(int rows, int width, const int *column, const float *value,
                                     const float *x, float *y) {
  // TODO(1): the sum of one row. Where there is padding, x has no element to read.
}

void ell(int rows, int columns, int width, const int *column, const float *value, const float *x, float *y) {
  // TODO(2): the launch, if there are rows.
}
