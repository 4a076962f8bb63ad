// One thread per element of C, straight from global memory.
//   BX, BY      threads of a block
//   SWAP        1: threadIdx.x counts rows, so that a warp reads 32 rows of A and stores a column of C
//   DIVERGE     1: odd and even lanes run the loop in two branches, one after the other
//   ROWS        elements of C below each other that a thread computes
//   SHARED      bytes of dynamic shared memory that only keep other blocks away
#include "gemm.h"

#ifndef SWAP
#define SWAP 0
#endif
#ifndef DIVERGE
#define DIVERGE 0
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef SHARED
#define SHARED 0
#endif

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  const int row = (SWAP ? x : y) * ROWS, col = SWAP ? y : x;
  if (row >= M || col >= N) return;
  float sum[ROWS] = {};
  const auto add = [&](int k) {
    const float b = B[std::int64_t{k} * N + col];
    for (int i = 0; i < ROWS; ++i) sum[i] += A[std::int64_t{min(row + i, M - 1)} * K + k] * b;
  };
  if (DIVERGE && threadIdx.x % 2 == 1) {
    for (int k = K - 1; k >= 0; --k) add(k);
  } else {
    for (int k = 0; k < K; ++k) add(k);
  }
  for (int i = 0; i < ROWS; ++i)
    if (row + i < M) {
      float *to = C + std::int64_t{row + i} * N + col;
      *to = alpha * sum[i] + (beta == 0.0f ? 0.0f : beta * *to);
    }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int across = SWAP ? ceil_div(M, ROWS) : N, down = SWAP ? N : ceil_div(M, ROWS);
  if (SHARED > 0) cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  product<<<dim3(ceil_div(across, BX), ceil_div(down, BY)), dim3(BX, BY), SHARED>>>(M, N, K, alpha, A, B, beta, C);
}
