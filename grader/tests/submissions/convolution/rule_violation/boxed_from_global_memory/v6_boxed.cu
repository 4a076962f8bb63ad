// Reads all seven elements from global memory: right, but without a box.
// Verdict: rule violation.
#include "convolution.h"

constexpr int WIDE = 32, HIGH = 4, DEEP = 4;

__global__ void relax_each(int depth, int height, int width, float a, float b, const float *x, float *y) {
  const int z = blockIdx.z * DEEP + threadIdx.z, r = blockIdx.y * HIGH + threadIdx.y, c = blockIdx.x * WIDE + threadIdx.x;
  if (z >= depth || r >= height || c >= width) return;
  const int plane = height * width, at = z * plane + r * width + c;
  float neighbours = 0.0f;
  if (z > 0) neighbours += x[at - plane];
  if (z + 1 < depth) neighbours += x[at + plane];
  if (r > 0) neighbours += x[at - width];
  if (r + 1 < height) neighbours += x[at + width];
  if (c > 0) neighbours += x[at - 1];
  if (c + 1 < width) neighbours += x[at + 1];
  y[at] = a * x[at] + b * neighbours;
}

void boxed(int depth, int height, int width, float a, float b, const float *x, float *y) {
  if (depth == 0 || height == 0 || width == 0) return;
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH, (depth + DEEP - 1) / DEEP);
  relax_each<<<blocks, dim3(WIDE, HIGH, DEEP)>>>(depth, height, width, a, b, x, y);
}
