// The kernel of the course text, with unsigned indices and a float literal written as a double.
// Verdict: accepted, although 0.0 is a double constant.
#include "gemm.h"
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float acc = 0.0;
    for (int i = 0; i < K; ++i) acc += A[x * K + i] * B[i * N + y];
    C[x * N + y] = alpha * acc + beta * C[x * N + y];
  }
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 grid(CEIL_DIV(M, 32), CEIL_DIV(N, 32), 1), block(32, 32, 1);
  naive<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
