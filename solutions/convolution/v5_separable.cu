// Step separable: some weights are products of one factor for the row and one for the column. Then two sums
// of SIDE products replace one of SIDE x SIDE: along the rows first, and of these results along the columns.
//
// Between the two, a block keeps the results of the first in shared memory. It needs them for REACH rows
// above and below its own, too.
#include "convolution.h"

[[maybe_unused]] constexpr int EDGE = 16, REACH = 2, SIDE = 2 * REACH + 1, PART = EDGE + 2 * REACH;

__constant__ float in_row[SIDE], in_column[SIDE];

__global__ void filter_twice(int height, int width, const float *x, float *y) {
  [[maybe_unused]] __shared__ float part[PART][PART], sums[PART][EDGE];
  // TODO(1): bring the tile and its halo, as in step tiled.
  // BEGIN SOLUTION
  const int first_row = blockIdx.y * EDGE - REACH, first_column = blockIdx.x * EDGE - REACH;
  for (int i = threadIdx.y; i < PART; i += EDGE)
    for (int j = threadIdx.x; j < PART; j += EDGE) {
      const int row = first_row + i, column = first_column + j;
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      part[i][j] = inside ? x[row * width + column] : 0.0f;
    }
  __syncthreads();
  // END SOLUTION
  // TODO(2): sums along the rows, for all PART rows of the tile. Who needs them, and when?
  // BEGIN SOLUTION
  for (int i = threadIdx.y; i < PART; i += EDGE) {
    float sum = 0.0f;
    for (int j = 0; j < SIDE; ++j) sum += in_row[j] * part[i][threadIdx.x + j];
    sums[i][threadIdx.x] = sum;
  }
  __syncthreads();
  // END SOLUTION
  // TODO(3): of these, the sums along the columns.
  // BEGIN SOLUTION
  const int r = blockIdx.y * EDGE + threadIdx.y, c = blockIdx.x * EDGE + threadIdx.x;
  if (r >= height || c >= width) return;
  float sum = 0.0f;
  for (int i = 0; i < SIDE; ++i) sum += in_column[i] * sums[threadIdx.y + i][threadIdx.x];
  y[r * width + c] = sum;
  // END SOLUTION
}

void separable(int height, int width, const float *x, const float *across, const float *down, float *y) {
  // TODO(4): copy both sets of weights to constant memory, and launch.
  // BEGIN SOLUTION
  if (height == 0 || width == 0) return;
  cudaMemcpyToSymbol(in_row, across, sizeof(in_row), 0, cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbol(in_column, down, sizeof(in_column), 0, cudaMemcpyDeviceToDevice);
  const dim3 blocks((width + EDGE - 1) / EDGE, (height + EDGE - 1) / EDGE), threads(EDGE, EDGE);
  filter_twice<<<blocks, threads>>>(height, width, x, y);
  // END SOLUTION
}
