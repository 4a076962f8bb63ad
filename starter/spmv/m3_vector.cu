// Step vector: one warp for each row. Its lanes take neighbouring entries and add their sums by shuffles.
//
// Loads of values and columns are coalesced now. Rows with fewer entries than a warp has lanes leave the rest
// of the lanes idle. Atomic operations are not allowed in this step.
#include "spmv.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 8;   // lanes of a warp, warps of a block
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

__global__ void multiply_rows_by_warps(int rows, const int *start, const int *column, const float *value,
                                       const float *x, float *y) {
  [[maybe_unused]] const int row = blockIdx.x * WARPS + threadIdx.y;
  [[maybe_unused]] float sum = 0.0f;
  // TODO(1): the sum of this lane's entries: every 32nd of the row. All lanes of a warp have the same row.
  // TODO(2): the sum over the lanes, by __shfl_down_sync. One lane writes it.
}

void vector(int rows, int columns, int entries, const int *start, const int *column, const float *value,
            const float *x, float *y) {
  // TODO(3): blocks of WARPS warps, for all rows.
}
