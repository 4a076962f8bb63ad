// Step row_major: one thread for each element of P. All three matrices are row-major.
//
// Which index of P must threadIdx.x count so that the lanes of a warp read neighbouring elements?
#include "layouts.h"

[[maybe_unused]] constexpr int WIDTH = 32, HEIGHT = 8;  // of a block

__global__ void multiply_rows(int n, const float *M, const float *N, float *P) {
  // TODO(1): compute one element of P. Blocks extend past the edges of P; threads outside must do nothing.
  // BEGIN SOLUTION
  const int column = blockIdx.x * WIDTH + threadIdx.x;
  const int row = blockIdx.y * HEIGHT + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += M[row * n + k] * N[k * n + column];
  P[row * n + column] = sum;
  // END SOLUTION
}

void row_major(int n, const float *M, const float *N, float *P) {
  // TODO(2): launch it with as many blocks of WIDTH x HEIGHT threads as P needs.
  // BEGIN SOLUTION
  const dim3 grid((n + WIDTH - 1) / WIDTH, (n + HEIGHT - 1) / HEIGHT);
  multiply_rows<<<grid, dim3(WIDTH, HEIGHT)>>>(n, M, N, P);
  // END SOLUTION
}
