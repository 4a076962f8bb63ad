// Asks whether a row is in the image, and not whether the column is.
// Verdict: out of bounds, at the line that brings the element.
#include "convolution.h"

[[maybe_unused]] constexpr int EDGE = 16, REACH = 2, SIDE = 2 * REACH + 1, PART = EDGE + 2 * REACH;

__constant__ float in_row[SIDE], in_column[SIDE];

__global__ void filter_twice(int height, int width, const float *x, float *y) {
  [[maybe_unused]] __shared__ float part[PART][PART], sums[PART][EDGE];
  const int first_row = blockIdx.y * EDGE - REACH, first_column = blockIdx.x * EDGE - REACH;
  for (int i = threadIdx.y; i < PART; i += EDGE)
    for (int j = threadIdx.x; j < PART; j += EDGE) {
      const int row = first_row + i, column = first_column + j;
      const bool inside = row >= 0 && row < height;
      part[i][j] = inside ? x[row * width + column] : 0.0f;
    }
  __syncthreads();
  for (int i = threadIdx.y; i < PART; i += EDGE) {
    float sum = 0.0f;
    for (int j = 0; j < SIDE; ++j) sum += in_row[j] * part[i][threadIdx.x + j];
    sums[i][threadIdx.x] = sum;
  }
  __syncthreads();
  const int r = blockIdx.y * EDGE + threadIdx.y, c = blockIdx.x * EDGE + threadIdx.x;
  if (r >= height || c >= width) return;
  float sum = 0.0f;
  for (int i = 0; i < SIDE; ++i) sum += in_column[i] * sums[threadIdx.y + i][threadIdx.x];
  y[r * width + c] = sum;
}

void separable(int height, int width, const float *x, const float *across, const float *down, float *y) {
  if (height == 0 || width == 0) return;
  cudaMemcpyToSymbol(in_row, across, sizeof(in_row), 0, cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbol(in_column, down, sizeof(in_column), 0, cudaMemcpyDeviceToDevice);
  const dim3 blocks((width + EDGE - 1) / EDGE, (height + EDGE - 1) / EDGE), threads(EDGE, EDGE);
  filter_twice<<<blocks, threads>>>(height, width, x, y);
}
