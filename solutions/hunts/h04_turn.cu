// Hunt h04: B[c * rows + r] = A[r * columns + c]. A block moves a tile of 16 x 16 elements through shared
// memory.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// STUB: // answer line:
// STUB: // answer cause:
// BEGIN SOLUTION
// answer line: 17
// answer cause: uncoalesced
// END SOLUTION
#include "hunts.h"

constexpr int TILE = 16;

__global__ void turn_whole_tile(int rows, int columns, const float *A, float *B) {
  __shared__ float tile[TILE][TILE + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;  // of the first element
  if (row + y < rows && column + x < columns) tile[y][x] = A[(row + y) * columns + column + x];
  __syncthreads();
  // BEGIN FIX
  // FAULT: if (row + y < rows && column + x < columns) B[(column + x) * rows + row + y] = tile[y][x];
  if (row + x < rows && column + y < columns) B[(column + y) * rows + row + x] = tile[x][y];
  // END FIX
}

void turn_square(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  turn_whole_tile<<<grid, dim3(TILE, TILE)>>>(rows, columns, A, B);
}
