// Names all 32 lanes in a shuffle that only the lanes inside C reach.
// Verdict: barrier error at the shuffle: lanes outside have returned, and what they give is undefined and reaches C.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int lane = threadIdx.x, col = blockIdx.x * 32 + lane, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    float mine = k0 + lane < K ? A[row * K + k0 + lane] : 0;
    for (int k = 0; k < 32 && k0 + k < K; ++k) sum += __shfl_sync(0xffffffff, mine, k) * B[(k0 + k) * N + col];
  }
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 31) / 32, M), 32>>>(M, N, K, alpha, A, B, beta, C);
}
