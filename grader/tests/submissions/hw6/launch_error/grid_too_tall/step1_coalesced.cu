// One block per element, counted along y.
// Verdict: launch_error, a grid has at most 65535 blocks along y; 257 x 257 elements need 66049.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int row = blockIdx.y / N, col = blockIdx.y % N;
  float sum = 0;
  for (int k = threadIdx.x; k < K; k += 32) sum += A[row * K + k] * B[k * N + col];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (threadIdx.x == 0) C[blockIdx.y] = alpha * sum + beta * C[blockIdx.y];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3(1, M * N), 32>>>(M, N, K, alpha, A, B, beta, C);
}
