// Recurses for ever on the host.
// Verdict: crashed.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

static int descend(volatile int *above) {
  volatile int here[1024];
  here[0] = *above + 1;
  return descend(here) + here[0];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  volatile int zero = 0;
  if (descend(&zero) == 1) return;
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
