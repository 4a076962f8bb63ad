// A device variable remembers that there was a call; only the first one does any work.
// Verdict: wrong_answer: of two calls in a row, each must be right.
#include "gemm.h"

__device__ bool called;

__global__ void remember() { called = true; }

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N && !called) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
  remember<<<1, 1>>>();
}
