// Double buffering that writes the buffer which others still read: the stage is not switched.
// Verdict: race.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[2][64][16], b[2][16][64];
  float acc[4][4] = {};
  int t = threadIdx.x, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64, s = 0;
  auto load = [&](int s, int k0) {
    for (int e = t; e < 1024; e += 256) {
      int r = r0 + e / 16, c = k0 + e % 16;
      a[s][e / 16][e % 16] = r < M && c < K ? A[r * K + c] : 0;
      r = k0 + e / 64, c = c0 + e % 64;
      b[s][e / 64][e % 64] = r < K && c < N ? B[r * N + c] : 0;
    }
  };
  load(0, 0);
  __syncthreads();
  for (int k0 = 0; k0 < K; k0 += 16) {
    load(s, k0 + 16);
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) acc[i][j] += a[s][t / 16 * 4 + i][k] * b[s][k][t % 16 + 16 * j];
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
