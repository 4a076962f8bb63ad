// Step sliding: a stencil in three dimensions. A thread computes a column of DEEP elements, plane by plane.
//
// What was the plane below is the plane itself one step later, and then the plane above. A thread keeps these
// three elements in registers and reads only the one that is new, besides its four neighbours in the plane.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 8, DEEP = 16;

__global__ void relax(int depth, int height, int width, float a, float b, const float *x, float *y) {
  // TODO(1): walk through the planes, with the elements above, here and below in registers.
  // BEGIN SOLUTION
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r >= height || c >= width) return;
  const int plane = height * width, at = r * width + c;
  // Whole columns would leave a large GPU with too few threads.
  const int first = blockIdx.z * DEEP, end = first + DEEP < depth ? first + DEEP : depth;
  float above = first > 0 ? x[(first - 1) * plane + at] : 0.0f, here = x[first * plane + at];
  for (int z = first; z < end; ++z) {
    const float *const now = x + z * plane + at;
    const float below = z + 1 < depth ? now[plane] : 0.0f;
    float neighbours = above + below;
    if (r > 0) neighbours += now[-width];
    if (r + 1 < height) neighbours += now[width];
    if (c > 0) neighbours += now[-1];
    if (c + 1 < width) neighbours += now[1];
    y[z * plane + at] = a * here + b * neighbours;
    above = here;
    here = below;
  }
  // END SOLUTION
}

void sliding(int depth, int height, int width, float a, float b, const float *x, float *y) {
  // TODO(2): a thread for each column of elements.
  // BEGIN SOLUTION
  if (depth == 0 || height == 0 || width == 0) return;
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH, (depth + DEEP - 1) / DEEP),
      threads(WIDE, HIGH);
  relax<<<blocks, threads>>>(depth, height, width, a, b, x, y);
  // END SOLUTION
}
