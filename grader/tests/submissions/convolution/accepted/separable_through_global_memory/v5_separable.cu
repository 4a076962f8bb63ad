// Leaves the sums along the rows in global memory, for a second kernel: right, but all of it is read several times.
// Verdict: accepted, and no points for requested bytes.
#include "convolution.h"

constexpr int WIDE = 32, HIGH = 8, REACH = 2, SIDE = 2 * REACH + 1;

// step: how far apart the elements of a sum are; here: the place along it; end: how many there are
__device__ float weighted(const float *x, const float *weights, int step, int here, int end) {
  float sum = 0.0f;
  for (int i = 0; i < SIDE; ++i) {
    const int at = here + i - REACH;
    if (at >= 0 && at < end) sum += weights[i] * x[(at - here) * step];
  }
  return sum;
}

__global__ void along_rows(int height, int width, const float *x, const float *across, float *sums) {
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r < height && c < width) sums[r * width + c] = weighted(&x[r * width + c], across, 1, c, width);
}

__global__ void along_columns(int height, int width, const float *sums, const float *down, float *y) {
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r < height && c < width) y[r * width + c] = weighted(&sums[r * width + c], down, width, r, height);
}

void separable(int height, int width, const float *x, const float *across, const float *down, float *y) {
  if (height == 0 || width == 0) return;
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  float *sums;
  cudaMalloc(&sums, height * width * sizeof(float));
  along_rows<<<blocks, threads>>>(height, width, x, across, sums);
  along_columns<<<blocks, threads>>>(height, width, sums, down, y);
  cudaFree(sums);
}
