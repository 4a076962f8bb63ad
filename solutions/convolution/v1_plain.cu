// Step plain: one thread computes one element, and reads everything from global memory.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8, REACH = 2, SIDE = 2 * REACH + 1;

__global__ void filter_plain(int height, int width, const float *x, const float *weights, float *y) {
  // TODO(1): the weighted sum around this thread's element. Elements beyond the edges count as 0: do not read
  // them.
  // BEGIN SOLUTION
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r >= height || c >= width) return;
  float sum = 0.0f;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      const int row = r + i - REACH, column = c + j - REACH;
      if (row >= 0 && row < height && column >= 0 && column < width)
        sum += weights[i * SIDE + j] * x[row * width + column];
    }
  y[r * width + c] = sum;
  // END SOLUTION
}

void plain(int height, int width, const float *x, const float *weights, float *y) {
  // TODO(2): blocks of WIDE x HIGH threads that cover the image.
  // BEGIN SOLUTION
  if (height == 0 || width == 0) return;
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  filter_plain<<<blocks, threads>>>(height, width, x, weights, y);
  // END SOLUTION
}
