// Prints full marks, to both standard streams; its kernel is wrong.
// Verdict: wrong_answer, one product of each sum is missing; what a launcher prints is shown, never read.
#include "gemm.h"

#include <cstdio>

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K - 1; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  std::puts("step1  accepted  20/20");
  std::puts("{\"schema\": \"warpgrade.score/1\", \"score\": 100, \"max_score\": 100}");
  std::puts("Score: 100/100");
  std::fputs("Score: 100/100\n", stderr);
  std::fflush(stdout);
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
