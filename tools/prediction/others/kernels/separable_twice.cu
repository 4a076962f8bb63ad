// Two launches: the rows first, into memory, then the columns.
#include "convolution.h"

[[maybe_unused]] constexpr int WIDE = 64, HIGH = 4;

__global__ void filter_rows(int height, int width, const float *x, const float *across, float *to) {
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r >= height || c >= width) return;
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < 5; ++j)
    if (c + j >= 2 && c + j - 2 < width) sum += across[j] * x[r * width + c + j - 2];
  to[r * width + c] = sum;
}

__global__ void filter_downwards(int height, int width, const float *x, const float *down, float *to) {
  const int c = blockIdx.x * WIDE + threadIdx.x, r = blockIdx.y * HIGH + threadIdx.y;
  if (r >= height || c >= width) return;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 5; ++i)
    if (r + i >= 2 && r + i - 2 < height) sum += down[i] * x[(r + i - 2) * width + c];
  to[r * width + c] = sum;
}

void separable(int height, int width, const float *x, const float *across, const float *down, float *y) {
  if (height == 0 || width == 0) return;
  float *rows;
  cudaMalloc(&rows, static_cast<size_t>(height) * width * sizeof(float));
  const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), threads(WIDE, HIGH);
  filter_rows<<<blocks, threads>>>(height, width, x, across, rows);
  filter_downwards<<<blocks, threads>>>(height, width, rows, down, y);
  cudaFree(rows);
}
