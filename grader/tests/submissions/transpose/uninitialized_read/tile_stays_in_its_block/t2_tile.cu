// Turns each tile, and leaves it at the place that it had in A, where parts of it do not fit.
// Verdict: uninitialized read, at the line that writes the tile.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_tile(int rows, int columns, const float *A, float *B) {
  [[maybe_unused]] __shared__ float part[TILE][TILE];
  const int first_column = blockIdx.x * TILE, first_row = blockIdx.y * TILE;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_row + y, c = first_column + threadIdx.x;
    if (r < rows && c < columns) part[y][threadIdx.x] = A[r * columns + c];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_row + y, c = first_column + threadIdx.x;
    if (r < columns && c < rows) B[r * rows + c] = part[threadIdx.x][y];
  }
}

void tile(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
  move_tile<<<grid, block>>>(rows, columns, A, B);
}
