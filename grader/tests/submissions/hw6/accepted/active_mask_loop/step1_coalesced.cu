// Divergent loops with __activemask, __ballot_sync of the active lanes, an elected leader and __syncwarp of a part.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, lane = threadIdx.x % 32;
  if (col >= N) return;
  unsigned active = __activemask();
  int leader = __ffs(active) - 1;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    float a = 0;
    if (lane == leader) a = A[row * K + k];
    __syncwarp(active);
    a = __shfl_sync(active, a, leader);
    sum += a * B[k * N + col];
  }
  unsigned odd = __ballot_sync(active, col & 1);
  if (col & 1) {
    int first = __ffs(odd) - 1;
    float scale = __shfl_sync(odd, alpha, first);
    sum *= scale;
  } else {
    sum *= alpha;
  }
  C[row * N + col] = sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 63) / 64, M), 64>>>(M, N, K, alpha, A, B, beta, C);
}
