// Step column_major: the kernel of row_major, but N is column-major. Threads keep their positions, and there
// is no shared memory yet: the next step repairs this pattern.
//
// Each lane now walks along memory as k grows. How far apart are two neighbouring lanes?
#include "layouts.h"

[[maybe_unused]] constexpr int WIDTH = 32, HEIGHT = 8;  // of a block

__global__ void multiply_columns(int n, const float *M, const float *N, float *P) {
  // TODO(1): compute one element of P, and read N directly from global memory.
  // BEGIN SOLUTION
  const int column = blockIdx.x * WIDTH + threadIdx.x;
  const int row = blockIdx.y * HEIGHT + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += M[row * n + k] * N[column * n + k];
  P[row * n + column] = sum;
  // END SOLUTION
}

void column_major(int n, const float *M, const float *N, float *P) {
  // TODO(2): launch it as in row_major.
  // BEGIN SOLUTION
  const dim3 grid((n + WIDTH - 1) / WIDTH, (n + HEIGHT - 1) / HEIGHT);
  multiply_columns<<<grid, dim3(WIDTH, HEIGHT)>>>(n, M, N, P);
  // END SOLUTION
}
