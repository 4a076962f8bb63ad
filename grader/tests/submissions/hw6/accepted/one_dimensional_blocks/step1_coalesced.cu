// One-dimensional blocks of 256 threads; row and column come from a division.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= M * N) return;
  int row = i / N, col = i % N;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[i] = alpha * sum + beta * C[i];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<(M * N + 255) / 256, 256>>>(M, N, K, alpha, A, B, beta, C);
}
