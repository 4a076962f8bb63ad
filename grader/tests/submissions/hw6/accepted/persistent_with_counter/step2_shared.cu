// Persistent blocks that take tiles from a global counter, reset by a kernel before every call.
// Verdict: accepted.
#include "gemm.h"

__device__ int next_tile;

__global__ void reset() { next_tile = 0; }

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[16][16], b[16][16];
  __shared__ int tile;
  const int across = (N + 15) / 16, tiles = across * ((M + 15) / 16);
  while (true) {
    if (threadIdx.x == 0 && threadIdx.y == 0) tile = atomicAdd(&next_tile, 1);
    __syncthreads();
    const int mine = tile;
    if (mine >= tiles) break;
    int row = mine / across * 16 + threadIdx.y, col = mine % across * 16 + threadIdx.x;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
      a[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0;
      b[threadIdx.y][threadIdx.x] = col < N && k0 + threadIdx.y < K ? B[(k0 + threadIdx.y) * N + col] : 0;
      __syncthreads();
      for (int k = 0; k < 16; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
      __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
    __syncthreads();
  }
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  reset<<<1, 1>>>();
  multiply<<<20, dim3(16, 16)>>>(M, N, K, alpha, A, B, beta, C);
}
