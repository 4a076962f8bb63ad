// Allocates half of the memory that the kernel stores its sums in.
// Verdict: out_of_bounds; the message names the launcher's variable.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                         float *sums) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    sums[row * N + col] = sum;
    C[row * N + col] = alpha * sums[row * N + col] + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *dSums;
  cudaMalloc(&dSums, (M * N + 1) / 2 * sizeof(float));
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C, dSums);
  cudaFree(dSums);
}
