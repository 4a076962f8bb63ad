// Hunt h12: y[r][c] = the sum of weights[i][j] * x[r + i - 2][c + j - 2] over 5 x 5 weights; beyond its edges,
// x is 0. A block loads the pixels that it needs into shared memory, row by row without gaps.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// answer line:
// answer cause:
#include "hunts.h"

constexpr int TILE = 16, HALO = 2, EDGE = TILE + 2 * HALO, SPAN = 2 * HALO + 1;

__global__ void filter_tile(int height, int width, const float *x, const float *weights, float *y) {
  __shared__ float pixels[EDGE * EDGE];
  const int top = blockIdx.y * TILE - HALO, left = blockIdx.x * TILE - HALO;
  for (int k = threadIdx.y * TILE + threadIdx.x; k < EDGE * EDGE; k += TILE * TILE) {
    const int r = top + k / EDGE, c = left + k % EDGE;
    pixels[k] = r >= 0 && r < height && c >= 0 && c < width ? x[r * width + c] : 0.0f;
  }
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < SPAN; ++i) {
    const float *row = pixels + (threadIdx.y + i) * TILE + threadIdx.x;
    for (int j = 0; j < SPAN; ++j) sum += weights[i * SPAN + j] * row[j];
  }
  const int r = blockIdx.y * TILE + threadIdx.y, c = blockIdx.x * TILE + threadIdx.x;
  if (r < height && c < width) y[r * width + c] = sum;
}

void filter_tiled(int height, int width, const float *x, const float *weights, float *y) {
  if (height == 0 || width == 0) return;
  const dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
  filter_tile<<<grid, dim3(TILE, TILE)>>>(height, width, x, weights, y);
}
