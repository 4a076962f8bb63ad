// Step tile: a block brings a tile of A to shared memory, row by row, and takes it from there to B, again row
// by row.
//
// In shared memory a column costs no extra sectors, so that is where the turn is made. Both global accesses
// of a warp are neighbouring elements now.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_tile(int rows, int columns, const float *A, float *B) {
  [[maybe_unused]] __shared__ float part[TILE][TILE];
  // TODO(1): bring this block's tile of A to `part`. A thread brings TILE / ROWS elements of one column.
  // BEGIN SOLUTION
  const int first_column = blockIdx.x * TILE, first_row = blockIdx.y * TILE;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_row + y, c = first_column + threadIdx.x;
    if (r < rows && c < columns) part[y][threadIdx.x] = A[r * columns + c];
  }
  // END SOLUTION
  // TODO(2): wait until the whole tile is there.
  // BEGIN SOLUTION
  __syncthreads();
  // END SOLUTION
  // TODO(3): write the tile to B. Neighbouring threads write neighbouring elements of a row of B, which was a
  // column of A: what are this thread's row and column in B?
  // BEGIN SOLUTION
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_column + y, c = first_row + threadIdx.x;
    if (r < columns && c < rows) B[r * rows + c] = part[threadIdx.x][y];
  }
  // END SOLUTION
}

void tile(int rows, int columns, const float *A, float *B) {
  // TODO(4): one block of TILE x ROWS threads for each tile of TILE x TILE elements.
  // BEGIN SOLUTION
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
  move_tile<<<grid, block>>>(rows, columns, A, B);
  // END SOLUTION
}
