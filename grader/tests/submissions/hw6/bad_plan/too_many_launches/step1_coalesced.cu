// Launches once per element of C.
// Verdict: bad_plan, the number of launches is limited.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C, int row,
                         int col) {
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  for (int row = 0; row < M; row++)
    for (int col = 0; col < N; col++) multiply<<<1, 1>>>(M, N, K, alpha, A, B, beta, C, row, col);
}
