// Computes into memory of its own and copies that to C "on the host".
// Verdict: bad_plan, C is on the device.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

#define CHECK(call) \
  if ((call) != cudaSuccess) return

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *dC;
  CHECK(cudaMalloc(&dC, M * N * sizeof(float)));
  CHECK(cudaMemcpy(dC, C, M * N * sizeof(float), cudaMemcpyDeviceToDevice));
  multiply<<<dim3((N + 63) / 64, M), 64>>>(M, N, K, alpha, A, B, beta, dC);
  CHECK(cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost));
}
