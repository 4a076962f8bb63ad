// Starts blocks of 32 x 64 threads, more than a block may have.
// Verdict: launch error.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 64;

__global__ void copy_element(int rows, int columns, const float *A, float *B) {
  const int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * ROWS + threadIdx.y;
  if (r < rows && c < columns) B[r * columns + c] = A[r * columns + c];
}

void copy(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + ROWS - 1) / ROWS), block(TILE, ROWS);
  copy_element<<<grid, block>>>(rows, columns, A, B);
}
