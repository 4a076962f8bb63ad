// Sleeps in every call, for a little less than one call may take.
// Verdict: time_limit, the calls of a step have a limit together.
#include "gemm.h"

#include <unistd.h>

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  usleep(4500000);
  dim3 block(32, 8);
  multiply<<<dim3((N + 31) / 32, (M + 7) / 8), block>>>(M, N, K, alpha, A, B, beta, C);
}
