// One block per row, with a thread for each column: a block has more than 1024 threads for more than 1024 columns.
// Verdict: launch_error, without a GPU too.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int row = blockIdx.x, col = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<M, N>>>(M, N, K, alpha, A, B, beta, C);
}
