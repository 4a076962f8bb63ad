// Moves on without keeping the element as the one above.
// Verdict: wrong answer; the cause is named.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8;

__global__ void relax(int depth, int height, int width, float a, float b, const float *x, float *y) {
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r >= height || c >= width) return;
  const int plane = height * width, at = r * width + c;
  float above = 0.0f, here = x[at];
  for (int z = 0; z < depth; ++z) {
    const float *const now = x + z * plane + at;
    const float below = z + 1 < depth ? now[plane] : 0.0f;
    float neighbours = above + below;
    if (r > 0) neighbours += now[-width];
    if (r + 1 < height) neighbours += now[width];
    if (c > 0) neighbours += now[-1];
    if (c + 1 < width) neighbours += now[1];
    y[z * plane + at] = a * here + b * neighbours;
    here = below;
  }
}

void sliding(int depth, int height, int width, float a, float b, const float *x, float *y) {
  if (depth == 0 || height == 0 || width == 0) return;
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  relax<<<blocks, threads>>>(depth, height, width, a, b, x, y);
}
