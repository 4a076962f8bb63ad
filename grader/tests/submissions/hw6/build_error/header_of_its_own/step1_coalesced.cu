// Moved a helper into a header of its own, which 'make' finds.
// Verdict: build_error, only the step's file is handed in.
#include "gemm.h"
#include "util.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3(ceil_div(N, 64), M), 64>>>(M, N, K, alpha, A, B, beta, C);
}
