// Blocks that share out K add to C without atomics.
// Verdict: race, two blocks read and write the same elements.
#include "gemm.h"

__global__ void scale(int n, float beta, float *C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] = beta * C[i];
}

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = blockIdx.z; k < K; k += gridDim.z) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] += alpha * sum;
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  scale<<<(M * N + 255) / 256, 256>>>(M * N, beta, C);
  multiply<<<dim3((N + 63) / 64, M, 2), 64>>>(M, N, K, alpha, A, B, C);
}
