// Kahan summation: carries the rounding errors of the sum along.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    float lost = 0;
    for (int k = 0; k < K; k++) {
      float next = __fsub_rn(__fmul_rn(A[row * K + k], B[k * N + col]), lost);
      float total = __fadd_rn(sum, next);
      lost = __fsub_rn(__fsub_rn(total, sum), next);
      sum = total;
    }
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
