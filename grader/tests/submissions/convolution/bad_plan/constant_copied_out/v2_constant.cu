// Copies the weights out of the variable instead of into it.
// Verdict: bad plan: the kind of the copy says that the weights are on the host.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8, REACH = 2, SIDE = 2 * REACH + 1;

__constant__ float fixed[SIDE * SIDE];

__global__ void filter_with_constants(int height, int width, const float *x, float *y) {
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r >= height || c >= width) return;
  float sum = 0.0f;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      const int row = r + i - REACH, column = c + j - REACH;
      if (row >= 0 && row < height && column >= 0 && column < width)
        sum += fixed[i * SIDE + j] * x[row * width + column];
    }
  y[r * width + c] = sum;
}

void constant(int height, int width, const float *x, const float *weights, float *y) {
  if (height == 0 || width == 0) return;
  cudaMemcpyFromSymbol((float *)weights, fixed, sizeof(fixed));
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  filter_with_constants<<<blocks, threads>>>(height, width, x, y);
}
