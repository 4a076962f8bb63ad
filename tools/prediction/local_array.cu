// One thread per element of C; the products of 16 neighbouring k are kept in an array whose index is not a constant,
// so that it is in local memory.
#include "gemm.h"

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= M || col >= N) return;
  float kept[16] = {};
#pragma unroll 1
  for (int k = 0; k < K; ++k) kept[k % 16] += A[std::int64_t{row} * K + k] * B[std::int64_t{k} * N + col];
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < 16; ++i) sum += kept[i];
  float *to = C + std::int64_t{row} * N + col;
  *to = alpha * sum + (beta == 0.0f ? 0.0f : beta * *to);
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<dim3(ceil_div(N, 32), ceil_div(M, 8)), dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C);
}
