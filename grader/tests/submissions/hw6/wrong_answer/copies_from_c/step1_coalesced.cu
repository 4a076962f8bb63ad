// Exchanges the first two arguments of the copy that should bring the result to C.
// Verdict: wrong_answer, C is never written.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *result;
  cudaMalloc(&result, M * N * sizeof(float));
  cudaMemcpy(result, C, M * N * sizeof(float), cudaMemcpyDeviceToDevice);
  multiply<<<dim3((N + 63) / 64, M), 64>>>(M, N, K, alpha, A, B, beta, result);
  cudaMemcpy(result, C, M * N * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(result);
}
