// Blocks of 64 x 32 threads.
// Verdict: launch_error, a block has at most 1024 threads.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    __shared__ float unit;
    unit = 1;
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum * unit + beta * C[row * N + col];
  }
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(64, 32);
  dim3 grid((N + 63) / 64, (M + 31) / 32);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
