// Reads the tile while other threads still bring it.
// Verdict: race, at the line that reads the tile.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_padded_tile(int rows, int columns, const float *A, float *B) {
  __shared__ float part[TILE][TILE + 1];
  const int first_column = blockIdx.x * TILE, first_row = blockIdx.y * TILE;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_row + y, c = first_column + threadIdx.x;
    if (r < rows && c < columns) part[y][threadIdx.x] = A[r * columns + c];
  }
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_column + y, c = first_row + threadIdx.x;
    if (r < columns && c < rows) B[r * rows + c] = part[threadIdx.x][y];
  }
}

void padded(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
  move_padded_tile<<<grid, block>>>(rows, columns, A, B);
}
