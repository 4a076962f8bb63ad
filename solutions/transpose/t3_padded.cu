// Step padded: the same tile, without bank conflicts.
//
// A column of the tile has its elements TILE words apart. There are as many banks, so all of them are in one
// bank, and a warp that reads a column waits 32 times. One unused word at the end of each row moves every row
// by one bank.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_padded_tile(int rows, int columns, const float *A, float *B) {
  // TODO(1): declare a tile whose columns are in different banks, and bring this block's part of A to it.
  // BEGIN SOLUTION
  __shared__ float part[TILE][TILE + 1];
  const int first_column = blockIdx.x * TILE, first_row = blockIdx.y * TILE;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_row + y, c = first_column + threadIdx.x;
    if (r < rows && c < columns) part[y][threadIdx.x] = A[r * columns + c];
  }
  // END SOLUTION
  // TODO(2): wait for the tile, and write it to B.
  // BEGIN SOLUTION
  __syncthreads();
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_column + y, c = first_row + threadIdx.x;
    if (r < columns && c < rows) B[r * rows + c] = part[threadIdx.x][y];
  }
  // END SOLUTION
}

void padded(int rows, int columns, const float *A, float *B) {
  // TODO(3): one block of TILE x ROWS threads for each tile of TILE x TILE elements.
  // BEGIN SOLUTION
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
  move_padded_tile<<<grid, block>>>(rows, columns, A, B);
  // END SOLUTION
}
