// Writes columns of B directly, as step naive does.
// Verdict: rule violation: shared memory is required.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void move_tile(int rows, int columns, const float *A, float *B) {
  const int first_column = blockIdx.x * TILE, first_row = blockIdx.y * TILE;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const int r = first_row + y, c = first_column + threadIdx.x;
    if (r < rows && c < columns) B[c * rows + r] = A[r * columns + c];
  }
}

void tile(int rows, int columns, const float *A, float *B) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
  move_tile<<<grid, block>>>(rows, columns, A, B);
}
