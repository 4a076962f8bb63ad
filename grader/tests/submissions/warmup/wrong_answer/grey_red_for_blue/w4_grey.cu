// Takes the colours in the order blue, green, red.
// Verdict: wrong answer; the cause is named.
#include "warmup.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8;

__global__ void to_grey(int height, int width, const unsigned char *rgb, unsigned char *grey) {
  const int column = blockIdx.x * WIDE + threadIdx.x, row = blockIdx.y * HIGH + threadIdx.y;
  if (row >= height || column >= width) return;
  const int p = row * width + column;
  grey[p] = (77 * rgb[3 * p + 2] + 150 * rgb[3 * p + 1] + 29 * rgb[3 * p]) / 256;
}

void grey(int height, int width, const unsigned char *rgb, unsigned char *grey) {
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  to_grey<<<blocks, threads>>>(height, width, rgb, grey);
}
