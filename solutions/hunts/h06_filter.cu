// Hunt h06: y[r][c] = the sum of weights[i][j] * x[r + i - 2][c + j - 2] over 5 x 5 weights; beyond its edges,
// x is 0. One thread computes one pixel.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// STUB: // answer line:
// STUB: // answer cause:
// BEGIN SOLUTION
// answer line: 19
// answer cause: wrong constant
// END SOLUTION
#include "hunts.h"

constexpr int SIDE = 5;

__global__ void filter_pixel(int height, int width, const float *x, const float *weights, float *y) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= height || c >= width) return;
  float sum = 0.0f;
  for (int i = 0; i < SIDE; ++i) {
    for (int j = 0; j < SIDE; ++j) {
      const int row = r + i - 2;
      // BEGIN FIX
      // FAULT: const int column = c + j - 3;
      const int column = c + j - 2;
      // END FIX
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      sum += weights[i * SIDE + j] * x[row * width + column];
    }
  }
  y[r * width + c] = sum;
}

void filter_plain(int height, int width, const float *x, const float *weights, float *y) {
  if (height == 0 || width == 0) return;
  const dim3 block(32, 4), grid((width + 31) / 32, (height + 3) / 4);
  filter_pixel<<<grid, block>>>(height, width, x, weights, y);
}
