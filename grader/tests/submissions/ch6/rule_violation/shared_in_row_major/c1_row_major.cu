// Uses shared memory, which this step forbids.
// Verdict: rule_violation.
#include "layouts.h"

[[maybe_unused]] constexpr int WIDTH = 32, HEIGHT = 8;  // of a block

__global__ void multiply_rows(int n, const float *M, const float *N, float *P) {
  const int column = blockIdx.x * WIDTH + threadIdx.x;
  const int row = blockIdx.y * HEIGHT + threadIdx.y;
  __shared__ float kept[HEIGHT];
  if (threadIdx.x == 0) kept[threadIdx.y] = n;
  __syncthreads();
  if (row >= n || column >= n) return;
  float sum = kept[threadIdx.y] - n;
  for (int k = 0; k < n; ++k) sum += M[row * n + k] * N[k * n + column];
  P[row * n + column] = sum;
}

void row_major(int n, const float *M, const float *N, float *P) {
  const dim3 grid((n + WIDTH - 1) / WIDTH, (n + HEIGHT - 1) / HEIGHT);
  multiply_rows<<<grid, dim3(WIDTH, HEIGHT)>>>(n, M, N, P);
}
