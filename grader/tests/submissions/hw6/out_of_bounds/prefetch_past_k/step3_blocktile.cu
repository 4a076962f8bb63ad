// Prefetches the next stride without asking whether there is one.
// Verdict: out_of_bounds, the values are never used but the loads happen.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[64][16], b[16][64];
  float acc[4][4] = {}, ra[4], rb[4];
  int t = threadIdx.x, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  auto get = [&](int k0) {
    for (int i = 0; i < 4; ++i) {
      int e = t + 256 * i;
      ra[i] = A[min(r0 + e / 16, M - 1) * K + k0 + e % 16];
      rb[i] = B[(k0 + e / 64) * N + min(c0 + e % 64, N - 1)];
    }
  };
  get(0);
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = 0; i < 4; ++i) {
      int e = t + 256 * i;
      a[e / 16][e % 16] = k0 + e % 16 < K ? ra[i] : 0;
      b[e / 64][e % 64] = k0 + e / 64 < K ? rb[i] : 0;
    }
    __syncthreads();
    get(k0 + 16);
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) acc[i][j] += a[t / 16 * 4 + i][k] * b[k][t % 16 + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int r = r0 + t / 16 * 4 + i, c = c0 + t % 16 + 16 * j;
      if (r < M && c < N) C[r * N + c] = alpha * acc[i][j] + beta * C[r * N + c];
    }
}

void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 63) / 64, (M + 63) / 64), 256>>>(M, N, K, alpha, A, B, beta, C);
}
