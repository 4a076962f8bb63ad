// Asks for 96 KiB of dynamic shared memory and carves three differently typed arrays out of it.
// Verdict: accepted.
#include "gemm.h"

struct Tiles {
  float a[64][65];
  float b[64][64];
};

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  extern __shared__ __align__(16) unsigned char raw[];
  int *rows = reinterpret_cast<int *>(raw);
  double *zero = reinterpret_cast<double *>(raw + 64 * sizeof(int));
  Tiles *tiles = reinterpret_cast<Tiles *>(zero + 2);
  int t = threadIdx.x;
  if (t < 64) rows[t] = min((int)blockIdx.y * 64 + t, M - 1);
  if (t == 64) zero[1] = 0;
  __syncthreads();
  float acc[16] = {};
  int r = t / 16, c = t % 16;
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = t; i < 64 * 64; i += 256) {
      int y = i / 64, x = i % 64;
      tiles->a[y][x] = k0 + x < K ? A[rows[y] * K + k0 + x] : (float)zero[1];
      tiles->b[y][x] = k0 + y < K ? B[(k0 + y) * N + min((int)blockIdx.x * 64 + x, N - 1)] : (float)zero[1];
    }
    __syncthreads();
    for (int k = 0; k < 64; ++k)
#pragma unroll
      for (int e = 0; e < 16; ++e) acc[e] += tiles->a[r + e / 4 * 16][k] * tiles->b[k][c + e % 4 * 16];
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < 16; ++e) {
    int row = blockIdx.y * 64 + r + e / 4 * 16, col = blockIdx.x * 64 + c + e % 4 * 16;
    if (row < M && col < N) C[row * N + col] = alpha * acc[e] + beta * C[row * N + col];
  }
}

void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int bytes = 96 * 1024;
  if (cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) return;
  cudaFuncSetAttribute(multiply, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  multiply<<<dim3((N + 63) / 64, (M + 63) / 64), 256, bytes>>>(M, N, K, alpha, A, B, beta, C);
}
