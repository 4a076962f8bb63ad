// Reads N as if it lay row after row.
// Verdict: wrong_answer.
#include "layouts.h"

[[maybe_unused]] constexpr int WIDTH = 32, HEIGHT = 8;  // of a block

__global__ void multiply_columns(int n, const float *M, const float *N, float *P) {
  const int column = blockIdx.x * WIDTH + threadIdx.x;
  const int row = blockIdx.y * HEIGHT + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += M[row * n + k] * N[k * n + column];
  P[row * n + column] = sum;
}

void column_major(int n, const float *M, const float *N, float *P) {
  const dim3 grid((n + WIDTH - 1) / WIDTH, (n + HEIGHT - 1) / HEIGHT);
  multiply_columns<<<grid, dim3(WIDTH, HEIGHT)>>>(n, M, N, P);
}
