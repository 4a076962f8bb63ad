// A warp for every two rows, which it walks through three times side by side.
#include "softmax.h"

[[maybe_unused]] constexpr int WARP = 32, WARPS = 4;
[[maybe_unused]] constexpr float LOG2E = 1.4426950408889634f;

__global__ void softmax_two_rows(int rows, int columns, const float *x, float *y) {
  const int row = 2 * (blockIdx.x * WARPS + threadIdx.y);
  if (row >= rows) return;
  const int next = row + 1 < rows ? columns : 0;
  const float *const in = x + static_cast<size_t>(row) * columns;
  float *const out = y + static_cast<size_t>(row) * columns;
  float a = -INFINITY, b = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += WARP) a = fmaxf(a, in[c]), b = fmaxf(b, in[next + c]);
  for (int bit = WARP / 2; bit > 0; bit /= 2) {
    a = fmaxf(a, __shfl_xor_sync(0xffffffff, a, bit));
    b = fmaxf(b, __shfl_xor_sync(0xffffffff, b, bit));
  }
  a *= LOG2E, b *= LOG2E;
  float sum = 0.0f, other = 0.0f;
  for (int c = threadIdx.x; c < columns; c += WARP)
    sum += exp2f(in[c] * LOG2E - a), other += exp2f(in[next + c] * LOG2E - b);
  for (int bit = WARP / 2; bit > 0; bit /= 2) {
    sum += __shfl_xor_sync(0xffffffff, sum, bit);
    other += __shfl_xor_sync(0xffffffff, other, bit);
  }
  sum = 1.0f / sum, other = 1.0f / other;
  for (int c = threadIdx.x; c < columns; c += WARP) {
    out[c] = exp2f(in[c] * LOG2E - a) * sum;
    if (next > 0) out[next + c] = exp2f(in[next + c] * LOG2E - b) * other;
  }
}

void shuffled(int rows, int columns, const float *x, float *y) {
  if (rows > 0)
    softmax_two_rows<<<(rows + 2 * WARPS - 1) / (2 * WARPS), dim3(WARP, WARPS)>>>(rows, columns, x, y);
}
