// The sum lacks its "= 0": the first product is added to whatever the register held before.
// Verdict: uninitialized_read, at the line that adds.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3(ceil_div(M, 32), ceil_div(N, 32)), dim3(32, 32)>>>(M, N, K, alpha, A, B, beta, C);
}
