// Step online: the largest element and the sum in one walk through the row.
//
// A sum is of use only with the largest element that its terms were computed for. Where a larger one appears,
// the sum so far is multiplied by e^(old largest - new largest). Two such pairs are joined in the same way,
// so lanes can join theirs by shuffles.
#include <cfloat>

#include "softmax.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 8;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

struct Pair {
  float largest, sum;  // the sum of e^(x - largest)
};

// What two parts of a row have together.
__device__ __forceinline__ Pair joined(Pair a, Pair b) {
  // TODO(1): the larger of the two, and both sums relative to it.
  // STUB: return a;
  // BEGIN SOLUTION
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
  // END SOLUTION
}

__global__ void softmax_online(int rows, int columns, const float *x, float *y) {
  // TODO(2): join the elements of a lane, then the lanes. Then a second walk writes the results.
  // BEGIN SOLUTION
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= rows) return;
  const float *const in = x + row * columns;
  Pair all = {-FLT_MAX, 0.0f};  // not -INFINITY: the difference of two of these is no number
  for (int c = threadIdx.x; c < columns; c += WARP) all = joined(all, {in[c], 1.0f});
  for (int bit = WARP / 2; bit > 0; bit /= 2) {
    const Pair other = {__shfl_xor_sync(ALL, all.largest, bit), __shfl_xor_sync(ALL, all.sum, bit)};
    all = joined(all, other);
  }
  for (int c = threadIdx.x; c < columns; c += WARP)
    y[row * columns + c] = expf(in[c] - all.largest) / all.sum;
  // END SOLUTION
}

void online(int rows, int columns, const float *x, float *y) {
  // TODO(3): blocks of WARPS warps, for all rows.
  // BEGIN SOLUTION
  if (rows == 0) return;
  softmax_online<<<(rows + WARPS - 1) / WARPS, dim3(WARP, WARPS)>>>(rows, columns, x, y);
  // END SOLUTION
}
