// Only the threads of the first 15 columns load; the last column of every tile is never set.
// Verdict: uninitialized_read.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    if (x < 15) a[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
    b[y][x] = col < N && k0 + y < K ? B[(k0 + y) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(M, N, K, alpha, A, B, beta, C);
}
