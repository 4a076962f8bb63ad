// Eight partial sums in an array whose index is not a constant, so that it lies in local memory. Nobody clears it.
// Verdict: uninitialized_read.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= N) return;
  float part[8];
#pragma unroll 1
  for (int k = 0; k < K; ++k) part[(k + row) % 8] += A[row * K + k] * B[k * N + col];
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) sum += part[i];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3(ceil_div(N, 128), M), 128>>>(M, N, K, alpha, A, B, beta, C);
}
