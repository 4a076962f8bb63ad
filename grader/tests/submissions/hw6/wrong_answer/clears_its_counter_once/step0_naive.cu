// Hands out rows from a counter that the launcher allocates and clears in its first call only, and keeps.
// Verdict: wrong_answer: in the second call the counter stands at the end, and there is no work left.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                         int *next_row) {
  for (int row = atomicAdd(next_row, 1); row < M; row = atomicAdd(next_row, 1)) {
    for (int col = 0; col < N; col++) {
      float sum = 0;
      for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
      C[row * N + col] = alpha * sum + beta * C[row * N + col];
    }
  }
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  static int *next_row = nullptr;
  if (next_row == nullptr) {
    cudaMalloc(&next_row, sizeof(int));
    cudaMemset(next_row, 0, sizeof(int));
  }
  multiply<<<108, 128>>>(M, N, K, alpha, A, B, beta, C, next_row);
}
