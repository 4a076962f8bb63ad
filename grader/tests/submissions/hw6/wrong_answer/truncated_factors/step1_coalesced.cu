// Cuts the factors to 10 bits of mantissa, as tensor cores do, without using any.
// Verdict: wrong_answer, the tolerance tells single precision from less.
#include "gemm.h"

__device__ float cut(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += cut(A[row * K + k]) * cut(B[k * N + col]);
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
