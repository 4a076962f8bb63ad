// Exchanges the two dimensions of the grid, which is right for squares alone.
// Verdict: wrong answer: what no block covers still has its old value.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_element(int rows, int columns, const float *A, float *B) {
  const int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * ROWS + threadIdx.y;
  if (r < rows && c < columns) B[c * rows + r] = A[r * columns + c];
}

void naive(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((rows + TILE - 1) / TILE, (columns + ROWS - 1) / ROWS), block(TILE, ROWS);
  move_element<<<grid, block>>>(rows, columns, A, B);
}
