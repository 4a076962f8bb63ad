// The grid has as many blocks as there should be threads, and each thread looks for its result in a loop.
// Verdict: time_limit, a thousand times more threads than results.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[y % M * K + k] * B[k * N + x % N];
  if (y < M && x < N) C[y * N + x] = alpha * sum + beta * C[y * N + x];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3(N, M), dim3(32, 32)>>>(M, N, K, alpha, A, B, beta, C);
}
