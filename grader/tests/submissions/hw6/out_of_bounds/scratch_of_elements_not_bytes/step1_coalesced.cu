// Allocates the number of elements instead of bytes, and its kernel writes beyond.
// Verdict: out_of_bounds, three quarters of the results lie behind the scratch memory.
#include "gemm.h"

__global__ void copy(int n, const float *from, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *a;
  cudaMalloc(&a, M * K);
  copy<<<(M * K + 255) / 256, 256>>>(M * K, A, a);
  multiply<<<dim3((N + 63) / 64, M), 64>>>(M, N, K, alpha, a, B, beta, C);
  cudaFree(a);
}
