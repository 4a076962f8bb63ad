// A block of T x T threads computes a T x T tile of C from tiles in shared memory.
//   T           edge of the tile
//   PAD         floats between the rows of the tiles
//   TURNED      1: the tile of B is stored transposed, so that a warp reads a column of it
//   SHARED      bytes of dynamic shared memory that only keep other blocks away
#include "gemm.h"

#ifndef PAD
#define PAD 0
#endif
#ifndef TURNED
#define TURNED 0
#endif
#ifndef SHARED
#define SHARED 0
#endif

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[T][T + PAD], b[T][T + PAD];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += T) {
    a[y][x] = row < M && k0 + x < K ? A[std::int64_t{row} * K + k0 + x] : 0.0f;
    const float from_b = k0 + y < K && col < N ? B[std::int64_t{k0 + y} * N + col] : 0.0f;
    if (TURNED)
      b[x][y] = from_b;
    else
      b[y][x] = from_b;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += a[y][k] * (TURNED ? b[x][k] : b[k][x]);
    __syncthreads();
  }
  if (row < M && col < N) {
    float *to = C + std::int64_t{row} * N + col;
    *to = alpha * sum + (beta == 0.0f ? 0.0f : beta * *to);
  }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  if (SHARED > 0) cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  product<<<dim3(ceil_div(N, T), ceil_div(M, T)), dim3(T, T), SHARED>>>(M, N, K, alpha, A, B, beta, C);
}
