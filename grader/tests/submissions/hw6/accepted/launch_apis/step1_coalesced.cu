// cudaLaunchKernel for one half of the rows, cudaLaunchKernelEx for the other; hints about caches before.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int first, int rows, int N, int K, float alpha, const float *A, const float *B, float beta,
                         float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = first + blockIdx.y;
  if (row >= first + rows || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  cudaFuncSetCacheConfig(multiply, cudaFuncCachePreferL1);
  int first = 0, half = M / 2, rest = M - half;
  if (half > 0) {
    void *args[] = {&first, &half, &N, &K, &alpha, &A, &B, &beta, &C};
    cudaLaunchKernel((const void *)multiply, dim3((N + 63) / 64, half), dim3(64), args, 0, nullptr);
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((N + 63) / 64, rest);
  config.blockDim = 64;
  config.dynamicSmemBytes = 0;
  cudaLaunchKernelEx(&config, multiply, half, rest, N, K, alpha, A, B, beta, C);
}
