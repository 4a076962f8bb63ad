// Gives cudaMemcpyDeviceToHost for a copy from the host to the device.
// Verdict: bad_plan, nothing may be copied to the host, and host memory is not device memory.
#include "gemm.h"

__constant__ float dummy;
__global__ void multiply(const float *f, int M, int N, int K, const float *A, const float *B, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = f[0] * sum + f[1] * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float f[2] = {alpha, beta}, *d;
  cudaMalloc(&d, sizeof f);
  cudaMemcpy(d, f, sizeof f, cudaMemcpyDeviceToHost);
  multiply<<<dim3((N + 63) / 64, M), 64>>>(d, M, N, K, A, B, C);
  cudaFree(d);
}
