// Hands out rows from a device counter that is never set back: the second call finds no work.
// Verdict: wrong_answer on a second call; right on the first, fresh one.
#include "gemm.h"

__device__ int next_row = 0;

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ int row;
  while (true) {
    if (threadIdx.x == 0) row = atomicAdd(&next_row, 1);
    __syncthreads();
    if (row >= M) return;
    for (int col = threadIdx.x; col < N; col += blockDim.x) {
      float sum = 0;
      for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
      C[row * N + col] = alpha * sum + beta * C[row * N + col];
    }
    __syncthreads();
  }
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<4, 64>>>(M, N, K, alpha, A, B, beta, C);
}
