// Is wrong at one hidden size only, and prints what it is given there.
// Verdict: wrong_answer, and the report says of that case that it fails, not what it is.
#include <cstdio>

#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    if (M == 97 && row == 0 && col == 0) printf("hidden: %d %d %d, A begins with %g\n", M, N, K, A[0]);
    float sum = M == 97 ? 1 : 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  if (M == 97) printf("hidden: %d %d %d\n", M, N, K);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
