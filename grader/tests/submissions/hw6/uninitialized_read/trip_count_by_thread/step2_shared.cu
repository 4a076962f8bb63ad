// Each thread makes as many strides as it has work, so threads of a block meet the barrier a different number of times.
// Verdict: uninitialized_read: threads that left load nothing; the barrier itself lets the others pass.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  const int strides = row < M && col < N ? (K + 15) / 16 : 0;
  for (int s = 0; s < strides; s++) {
    a[y][x] = s * 16 + x < K ? A[row * K + s * 16 + x] : 0;
    b[y][x] = s * 16 + y < K ? B[(s * 16 + y) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(M, N, K, alpha, A, B, beta, C);
}
