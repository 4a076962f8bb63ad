// Forgets that a pixel has three bytes.
// Verdict: wrong answer; the cause is named.
#include "warmup.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8;

__global__ void to_grey(int height, int width, const unsigned char *rgb, unsigned char *grey) {
  const int column = blockIdx.x * WIDE + threadIdx.x, row = blockIdx.y * HIGH + threadIdx.y;
  if (row >= height || column >= width) return;
  const int p = row * width + column;
  grey[p] = (77 * rgb[p] + 150 * rgb[p + 1] + 29 * rgb[p + 2]) / 256;
}

void grey(int height, int width, const unsigned char *rgb, unsigned char *grey) {
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  to_grey<<<blocks, threads>>>(height, width, rgb, grey);
}
