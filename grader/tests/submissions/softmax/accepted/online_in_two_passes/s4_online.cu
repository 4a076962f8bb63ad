// Finds the largest element first and the sum afterwards: right, but the row is read three times.
// Verdict: accepted, without the points for requests.
#include <cfloat>

#include "softmax.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 8;
[[maybe_unused]] constexpr unsigned ALL = 0xffffffff;  // the lanes that take part

struct Pair {
  float largest, sum;  // the sum of e^(x - largest)
};

// What two parts of a row have together.
__device__ __forceinline__ Pair joined(Pair a, Pair b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
}

__global__ void softmax_online(int rows, int columns, const float *x, float *y) {
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= rows) return;
  const float *const in = x + row * columns;
  Pair all = {-FLT_MAX, 0.0f};  // not -INFINITY: the difference of two of these is no number
  for (int c = threadIdx.x; c < columns; c += WARP) all.largest = fmaxf(all.largest, in[c]);
  for (int c = threadIdx.x; c < columns; c += WARP) all.sum += expf(in[c] - all.largest);
  for (int bit = WARP / 2; bit > 0; bit /= 2) {
    const Pair other = {__shfl_xor_sync(ALL, all.largest, bit), __shfl_xor_sync(ALL, all.sum, bit)};
    all = joined(all, other);
  }
  for (int c = threadIdx.x; c < columns; c += WARP) y[row * columns + c] = expf(in[c] - all.largest) / all.sum;
}

void online(int rows, int columns, const float *x, float *y) {
  if (rows == 0) return;
  softmax_online<<<(rows + WARPS - 1) / WARPS, dim3(WARP, WARPS)>>>(rows, columns, x, y);
}
