// Passes the block first and the grid second.
// Verdict: launch_error for large matrices (blocks of more than 1024 threads); small ones are wrong or right by chance.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M * N) return;
  int row = i / N, col = i % N;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int block = 32, grid = (M * N + 31) / 32;
  multiply<<<block, grid>>>(M, N, K, alpha, A, B, beta, C);
}
