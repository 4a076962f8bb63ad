// Prints bytes that are no UTF-8, control characters and the marks of markup languages.
// Verdict: accepted, every report stays valid.
#include "gemm.h"

#include <cstdio>

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
  std::printf("\xff\xfe \xc3\x28 \xed\xa0\x80 %c \x1b[2J\x1b]0;title\x07 ]]> </script><b>&amp; %c\n", 0, 8);
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
