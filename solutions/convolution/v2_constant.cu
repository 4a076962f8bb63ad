// Step constant: the weights are in constant memory. All lanes of a warp read the same weight at the same
// time, which is what its cache is made for: one word for all of them.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8, REACH = 2, SIDE = 2 * REACH + 1;

__constant__ float fixed[SIDE * SIDE];

__global__ void filter_with_constants(int height, int width, const float *x, float *y) {
  // TODO(1): as in step plain, with the weights in `fixed`.
  // BEGIN SOLUTION
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
  // END SOLUTION
}

void constant(int height, int width, const float *x, const float *weights, float *y) {
  // TODO(2): copy the weights, which lie on the device already, to `fixed` (cudaMemcpyToSymbol), and launch.
  // BEGIN SOLUTION
  if (height == 0 || width == 0) return;
  cudaMemcpyToSymbol(fixed, weights, sizeof(fixed), 0, cudaMemcpyDeviceToDevice);
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  filter_with_constants<<<blocks, threads>>>(height, width, x, y);
  // END SOLUTION
}
