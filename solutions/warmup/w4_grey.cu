// Step grey: a colour image in shades of grey. Blocks and grid have two dimensions, as the image has.
//
// The eye sees green as brighter than blue, so the colours have different weights; they add up to 256. A byte
// holds numbers up to 255, but arithmetic on bytes is done in int, so the weighted sum fits.
#include "warmup.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8;

__global__ void to_grey(int height, int width, const unsigned char *rgb, unsigned char *grey) {
  // TODO(1): row and column of this thread's pixel, and its place in both arrays.
  // BEGIN SOLUTION
  const int column = blockIdx.x * WIDE + threadIdx.x, row = blockIdx.y * HIGH + threadIdx.y;
  if (row >= height || column >= width) return;
  const int p = row * width + column;
  grey[p] = (77 * rgb[3 * p] + 150 * rgb[3 * p + 1] + 29 * rgb[3 * p + 2]) / 256;
  // END SOLUTION
}

void grey(int height, int width, const unsigned char *rgb, unsigned char *grey) {
  // TODO(2): blocks of WIDE x HIGH threads that cover the image.
  // BEGIN SOLUTION
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  to_grey<<<blocks, threads>>>(height, width, rgb, grey);
  // END SOLUTION
}
