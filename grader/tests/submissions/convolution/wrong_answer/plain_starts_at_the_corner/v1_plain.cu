// Forgets the shift by REACH: the element is the corner of its surroundings, not their centre.
// Verdict: wrong answer.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8, REACH = 2, SIDE = 2 * REACH + 1;

__global__ void filter_plain(int height, int width, const float *x, const float *weights, float *y) {
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r >= height || c >= width) return;
  float sum = 0.0f;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      const int row = r + i, column = c + j;
      if (row >= 0 && row < height && column >= 0 && column < width)
        sum += weights[i * SIDE + j] * x[row * width + column];
    }
  y[r * width + c] = sum;
}

void plain(int height, int width, const float *x, const float *weights, float *y) {
  if (height == 0 || width == 0) return;
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  filter_plain<<<blocks, threads>>>(height, width, x, weights, y);
}
