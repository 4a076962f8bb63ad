// Each thread computes a column of several results and keeps the rows above in registers as it goes down.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 128, HIGH = 8, SIDE = 5;

__constant__ float fixed[SIDE * SIDE];

__global__ void filter_columns(int height, int width, const float *x, float *y) {
  const int c = blockIdx.x * WIDE + threadIdx.x, first = blockIdx.y * HIGH;
  if (c >= width) return;
  float sums[SIDE] = {};
#pragma unroll
  for (int r = -2; r < HIGH + 2; ++r) {
    const int row = first + r;
    float here[SIDE];
#pragma unroll
    for (int j = 0; j < SIDE; ++j) {
      const int column = c + j - 2;
      here[j] = row >= 0 && row < height && column >= 0 && column < width ? x[row * width + column] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < SIDE; ++i)
#pragma unroll
      for (int j = 0; j < SIDE; ++j) sums[i] += fixed[(SIDE - 1 - i) * SIDE + j] * here[j];
    if (r >= 2 && row - 2 < height) y[(row - 2) * width + c] = sums[0];
#pragma unroll
    for (int i = 0; i < SIDE; ++i) sums[i] = i + 1 < SIDE ? sums[i + 1] : 0.0f;
  }
}

void constant(int height, int width, const float *x, const float *weights, float *y) {
  if (height == 0 || width == 0) return;
  cudaMemcpyToSymbol(fixed, weights, sizeof(fixed), 0, cudaMemcpyDeviceToDevice);
  filter_columns<<<dim3((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), WIDE>>>(height, width, x, y);
}
