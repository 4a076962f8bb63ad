// Blocks slide through the planes with the middle one in shared memory, edges included.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 32, HIGH = 16, DEEP = 32;

__global__ void relax_by_planes(int depth, int height, int width, float a, float b, const float *x,
                                float *y) {
  __shared__ float middle[HIGH + 2][WIDE + 2];
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y, plane = height * width;
  const int first = blockIdx.z * DEEP, end = first + DEEP < depth ? first + DEEP : depth;
  const bool inside = r < height && c < width;
  const int at = r * width + c, i = threadIdx.y + 1, j = threadIdx.x + 1;
  float above = inside && first > 0 ? x[(first - 1) * plane + at] : 0.0f,
        here = inside ? x[first * plane + at] : 0.0f;
  for (int z = first; z < end; ++z) {
    const float below = inside && z + 1 < depth ? x[(z + 1) * plane + at] : 0.0f;
    middle[i][j] = here;
    if (threadIdx.y == 0) middle[0][j] = r > 0 && c < width ? x[z * plane + at - width] : 0.0f;
    if (threadIdx.y == HIGH - 1)
      middle[HIGH + 1][j] = r + 1 < height && c < width ? x[z * plane + at + width] : 0.0f;
    if (threadIdx.x == 0) middle[i][0] = c > 0 && r < height ? x[z * plane + at - 1] : 0.0f;
    if (threadIdx.x == WIDE - 1)
      middle[i][WIDE + 1] = c + 1 < width && r < height ? x[z * plane + at + 1] : 0.0f;
    __syncthreads();
    if (inside)
      y[z * plane + at] = a * here + b * (above + below + middle[i - 1][j] + middle[i + 1][j] +
                                          middle[i][j - 1] + middle[i][j + 1]);
    __syncthreads();
    above = here;
    here = below;
  }
}

void sliding(int depth, int height, int width, float a, float b, const float *x, float *y) {
  if (depth == 0 || height == 0 || width == 0) return;
  relax_by_planes<<<dim3((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH, (depth + DEEP - 1) / DEEP),
                    dim3(WIDE, HIGH)>>>(depth, height, width, a, b, x, y);
}
