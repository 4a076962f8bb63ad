// Compares the row with the number of columns and the column with the number of rows.
// Verdict: out of bounds, at the line of the move.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_element(int rows, int columns, const float *A, float *B) {
  const int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * ROWS + threadIdx.y;
  if (r < columns && c < rows) B[c * rows + r] = A[r * columns + c];
}

void naive(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + ROWS - 1) / ROWS), block(TILE, ROWS);
  move_element<<<grid, block>>>(rows, columns, A, B);
}
