// Stores each result one column too far to the right.
// Verdict: wrong_answer.
#include "gemm.h"

#define T 16

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[T][T];
  __shared__ float Bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty;
  int col = blockIdx.x * T + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += T) {
    As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0;
    Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0;
    __syncthreads();  // tiles are loaded
    for (int k = 0; k < T; k++) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();  // tiles are used
  }
  if (row < M && col < N - 1) C[row * N + col + 1] = alpha * sum + beta * C[row * N + col + 1];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(T, T);
  dim3 grid((N + T - 1) / T, (M + T - 1) / T);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
