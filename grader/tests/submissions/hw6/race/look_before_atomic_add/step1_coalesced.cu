// Counts up to a limit by `if (counted < 100) atomicAdd(&counted, 1)`, beside sums by atomicAdd.
// Verdict: race: between the look and the atomic others count too, so the limit is passed.
#include "gemm.h"

__device__ int counted;

__global__ void scale(int total, float beta, float *C) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total) C[i] *= beta;
}

__global__ void multiply(int M, int N, int K, int chunk, float alpha, const float *A, const float *B, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  int k = blockIdx.z * chunk, end = min(k + chunk, K);
  if (col >= N) return;
  float sum = 0;
  for (; k < end; ++k) sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], alpha * sum);
  if (counted < 100) atomicAdd(&counted, 1);
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  scale<<<(M * N + 255) / 256, 256>>>(M * N, beta, C);
  const int chunk = 40;
  multiply<<<dim3((N + 63) / 64, M, (K + chunk - 1) / chunk), 64>>>(M, N, K, chunk, alpha, A, B, C);
}
