// Copies a table of 32 numbers from the host and gives cudaMemcpy their number instead of their bytes.
// Verdict: uninitialized_read, of the other 24 numbers.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                         const float *ones) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col] * ones[k % 32];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float ones[32], *dOnes;
  for (float &one : ones) one = 1;
  cudaMalloc(&dOnes, sizeof(ones));
  cudaMemcpy(dOnes, ones, 32, cudaMemcpyHostToDevice);
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C, dOnes);
  cudaFree(dOnes);
}
