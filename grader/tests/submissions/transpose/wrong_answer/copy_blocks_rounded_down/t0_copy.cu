// Divides without rounding up, so the right and the lower edge belong to no block.
// Verdict: wrong answer.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void copy_element(int rows, int columns, const float *A, float *B) {
  const int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * ROWS + threadIdx.y;
  if (r < rows && c < columns) B[r * columns + c] = A[r * columns + c];
}

void copy(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid(columns < TILE ? 1 : columns / TILE, rows < ROWS ? 1 : rows / ROWS), block(TILE, ROWS);
  copy_element<<<grid, block>>>(rows, columns, A, B);
}
