// Takes the rows of B to be as long as those of A, which is true of squares alone.
// Verdict: out of bounds, at the line of the move.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_element(int rows, int columns, const float *A, float *B) {
  const int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * ROWS + threadIdx.y;
  if (r < rows && c < columns) B[c * columns + r] = A[r * columns + c];
}

void naive(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + ROWS - 1) / ROWS), block(TILE, ROWS);
  move_element<<<grid, block>>>(rows, columns, A, B);
}
