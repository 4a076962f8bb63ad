// A block keeps ROWS rows of A in shared memory, DEPTH elements of each at a time, and its threads walk along the rows of C:
// each computes ROWS x WIDTH elements, then those as many columns further on as the block covers.
//   THREADS     of a block
//   ROWS, WIDTH
//   DEPTH       elements of K
//   VECTOR      1: WIDTH elements of B are read at once (WIDTH 2 or 4, N a multiple of it)
#include "gemm.h"

#ifndef VECTOR
#define VECTOR 0
#endif

struct alignas(WIDTH * sizeof(float)) Piece {
  float of[WIDTH];
};

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a_rows[DEPTH][ROWS];
  const int row0 = blockIdx.x * ROWS;
  for (int col0 = 0; col0 < N; col0 += THREADS * WIDTH) {
    const int col = col0 + threadIdx.x * WIDTH;
    float sum[ROWS][WIDTH] = {};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
      __syncthreads();
      for (int i = threadIdx.x; i < ROWS * DEPTH; i += THREADS) {
        const int r = i / DEPTH, k = i % DEPTH;
        a_rows[k][r] = row0 + r < M && k0 + k < K ? A[std::int64_t{row0 + r} * K + k0 + k] : 0.0f;
      }
      __syncthreads();
      const int deep = min(DEPTH, K - k0);
      if (col < N)
#pragma unroll 4
        for (int k = 0; k < deep; ++k) {
          Piece b;
          const float *from = B + std::int64_t{k0 + k} * N + col;
          if (VECTOR)
            b = *reinterpret_cast<const Piece *>(from);
          else
            for (int j = 0; j < WIDTH; ++j) b.of[j] = col + j < N ? from[j] : 0.0f;
          for (int i = 0; i < ROWS; ++i)
            for (int j = 0; j < WIDTH; ++j) sum[i][j] += a_rows[k][i] * b.of[j];
        }
    }
    for (int i = 0; i < ROWS; ++i)
      for (int j = 0; j < WIDTH; ++j) {
        if (row0 + i >= M || col + j >= N) continue;
        float *to = C + std::int64_t{row0 + i} * N + col + j;
        *to = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * *to);
      }
  }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<ceil_div(M, ROWS), THREADS>>>(M, N, K, alpha, A, B, beta, C);
}
