// The plain coalesced kernel, blocks chosen by shape.
// Verdict: accepted, nothing in it depends on square matrices.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step4(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block = N >= 32 ? dim3(32, 8) : dim3(1, 256);
  dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
