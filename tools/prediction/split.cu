// K is cut into PARTS; a block of 16 x 16 threads adds up one part of a tile of 64 x 64, and the parts are added
// either in scratch memory by a second kernel (ATOMIC 0) or with atomics into C (ATOMIC 1).
//   PARTS
//   ATOMIC
#include "gemm.h"

#ifndef ATOMIC
#define ATOMIC 0
#endif

__global__ void begin(int count, float beta, float *C) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < count) C[i] = beta == 0.0f ? 0.0f : beta * C[i];
}

__global__ void part(int M, int N, int K, float alpha, const float *A, const float *B, float *to) {
  __shared__ float a[16][64 + 1], b[16][64];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int length = ceil_div(ceil_div(K, PARTS), 16) * 16;
  const int first = blockIdx.z * length, last = min(K, first + length);
  float sum[4][4] = {};
  for (int k0 = first; k0 < last; k0 += 16) {
    for (int i = t; i < 64 * 16; i += 256) {
      const int r = i / 16, c = i % 16;
      a[c][r] = row0 + r < M && k0 + c < last ? A[std::int64_t{row0 + r} * K + k0 + c] : 0.0f;
      const int rb = i / 64, cb = i % 64;
      b[rb][cb] = k0 + rb < last && col0 + cb < N ? B[std::int64_t{k0 + rb} * N + col0 + cb] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += a[k][y * 4 + i] * b[k][x + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + y * 4 + i, col = col0 + x + 16 * j;
      if (row >= M || col >= N) continue;
      if (ATOMIC)
        atomicAdd(to + std::int64_t{row} * N + col, alpha * sum[i][j]);
      else
        to[(std::int64_t{blockIdx.z} * M + row) * N + col] = alpha * sum[i][j];
    }
}

__global__ void add(int count, const float *parts, float beta, float *C) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  float sum = beta == 0.0f ? 0.0f : beta * C[i];
  for (int p = 0; p < PARTS; ++p) sum += parts[std::int64_t{p} * count + i];
  C[i] = sum;
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const dim3 grid(ceil_div(N, 64), ceil_div(M, 64), PARTS);
  const int blocks = ceil_div(M * N, 256);
  if (ATOMIC) {
    begin<<<blocks, 256>>>(M * N, beta, C);
    part<<<grid, dim3(16, 16)>>>(M, N, K, alpha, A, B, C);
    return;
  }
  float *parts;
  cudaMalloc(&parts, sizeof(float) * PARTS * M * N);
  part<<<grid, dim3(16, 16)>>>(M, N, K, alpha, A, B, parts);
  add<<<blocks, 256>>>(M * N, parts, beta, C);
  cudaFree(parts);
}
