// Sums up in eight slots of an array that is indexed at run time, so that it lies in local memory.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float part[8];
    for (int i = 0; i < 8; i++) part[i] = 0;
    for (int k = 0; k < K; k++) part[(k ^ row) % 8] += A[row * K + k] * B[k * N + col];
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
