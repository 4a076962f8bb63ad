// Adds partial sums with atomics to scratch memory that was never set to zero.
// Verdict: uninitialized_read, memory from cudaMalloc holds anything.
#include "gemm.h"

__global__ void add_slice(int M, int N, int K, const float *A, const float *B, float *sums) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = blockIdx.z; k < K; k += gridDim.z) sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&sums[row * N + col], sum);
}

__global__ void finish(int n, float alpha, const float *sums, float beta, float *C) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) C[i] = alpha * sums[i] + beta * C[i];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *sums;
  cudaMalloc(&sums, sizeof(float) * M * N);
  add_slice<<<dim3((N + 31) / 32, M, 2), 32>>>(M, N, K, A, B, sums);
  finish<<<(M * N + 255) / 256, 256>>>(M * N, alpha, sums, beta, C);
  cudaFree(sums);
}
