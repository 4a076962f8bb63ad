// Step shuffled: one warp computes a row. Its lanes exchange registers, without shared memory and without
// barriers, and no lane is ever idle.
#include "softmax.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 8;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

// The largest of all lanes' numbers, for every lane.
__device__ float largest_of_warp(float mine) {
  // TODO(1): five rounds. In each, two lanes whose numbers differ in one bit exchange what they have.
  // STUB: return mine;
  // BEGIN SOLUTION
  for (int bit = WARP / 2; bit > 0; bit /= 2) mine = fmaxf(mine, __shfl_xor_sync(ALL, mine, bit));
  return mine;
  // END SOLUTION
}

// The sum of all lanes' numbers, for every lane.
__device__ float sum_of_warp(float mine) {
  // TODO(2): the same with additions.
  // STUB: return mine;
  // BEGIN SOLUTION
  for (int bit = WARP / 2; bit > 0; bit /= 2) mine += __shfl_xor_sync(ALL, mine, bit);
  return mine;
  // END SOLUTION
}

__global__ void softmax_by_warp(int rows, int columns, const float *x, float *y) {
  // TODO(3): a row for each warp. Only whole warps may leave.
  // BEGIN SOLUTION
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= rows) return;
  const float *const in = x + row * columns;
  float largest = in[0];
  for (int c = threadIdx.x; c < columns; c += WARP) largest = fmaxf(largest, in[c]);
  largest = largest_of_warp(largest);
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += WARP) sum += expf(in[c] - largest);
  sum = sum_of_warp(sum);
  for (int c = threadIdx.x; c < columns; c += WARP) y[row * columns + c] = expf(in[c] - largest) / sum;
  // END SOLUTION
}

void shuffled(int rows, int columns, const float *x, float *y) {
  // TODO(4): blocks of WARPS warps, for all rows.
  // BEGIN SOLUTION
  if (rows == 0) return;
  softmax_by_warp<<<(rows + WARPS - 1) / WARPS, dim3(WARP, WARPS)>>>(rows, columns, x, y);
  // END SOLUTION
}
