// Takes A, B and C for host memory, as in the first example of every tutorial: allocates and copies them.
// Verdict: bad_plan, the source of the copy is on the device already.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *dA;
  cudaMalloc(&dA, M * K * sizeof(float));
  cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
  multiply<<<dim3((N + 63) / 64, M), 64>>>(M, N, K, alpha, dA, B, beta, C);
  cudaFree(dA);
}
