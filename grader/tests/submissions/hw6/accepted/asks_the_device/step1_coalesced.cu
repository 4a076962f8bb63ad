// Asks for the properties of the device and for the best block size, and computes its grid from them.
// Verdict: accepted, the recorder answers for the device that the plan is for.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * N; i += gridDim.x * blockDim.x) {
    int row = i / N, col = i % N;
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[i] = alpha * sum + beta * C[i];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int device = 0, threads_per_block = 0;
  cudaGetDevice(&device);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, device);
  cudaDeviceGetAttribute(&threads_per_block, cudaDevAttrMaxThreadsPerBlock, device);
  int threads = threads_per_block < 256 ? threads_per_block : 256;
  int blocks = properties.multiProcessorCount * (properties.maxThreadsPerMultiProcessor / threads);
  multiply<<<blocks, threads>>>(M, N, K, alpha, A, B, beta, C);
}
