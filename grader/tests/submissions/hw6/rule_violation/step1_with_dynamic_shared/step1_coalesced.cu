// Uses shared memory in step 1, allocated at launch.
// Verdict: rule_violation, step 1 must not use shared memory, of either kind.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    extern __shared__ float mine[];
    float &sum = mine[threadIdx.y * blockDim.x + threadIdx.x];
    sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block, 32 * 8 * sizeof(float)>>>(M, N, K, alpha, A, B, beta, C);
}
