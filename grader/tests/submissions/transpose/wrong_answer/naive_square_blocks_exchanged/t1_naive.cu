// Writes the grid for the transposed matrix: x counts rows. The blocks are square.
// Verdict: wrong answer: what no block covers still has its old value.
// Step naive: one thread moves one element to its new place.
//
// The lanes of a warp read neighbouring elements of a row of A, which is what the memory likes best. They
// write to a column of B: 32 elements that are `rows` floats apart, each in a sector of its own.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_element(int rows, int columns, const float *A, float *B) {
  // TODO(1): read this thread's element of A, and write it to its place in B.
  // BEGIN SOLUTION
  const int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
  if (r < rows && c < columns) B[c * rows + r] = A[r * columns + c];
  // END SOLUTION
}

void naive(int rows, int columns, const float *A, float *B) {
  // TODO(2): launch it.
  // BEGIN SOLUTION
  if (rows == 0 || columns == 0) return;
  const dim3 grid((rows + TILE - 1) / TILE, (columns + TILE - 1) / TILE), block(TILE, TILE);
  move_element<<<grid, block>>>(rows, columns, A, B);
  // END SOLUTION
}
