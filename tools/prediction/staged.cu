// A block computes BM x BN elements of C, each thread TM x TN of them, with the next tiles on their way meanwhile.
//   BM, BN, BK, TM, TN
//   BUFFERS     tiles of A and of B in shared memory, 1 or 2; with 2, one barrier in each stride is enough
//   AHEAD       1: the next tiles are read into registers before this stride is computed
//   BLOCKS      blocks that __launch_bounds__ asks for on a multiprocessor
#include "gemm.h"

#ifndef BUFFERS
#define BUFFERS 1
#endif
#ifndef AHEAD
#define AHEAD 1
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif

constexpr int ACROSS = BN / TN, THREADS = ACROSS * (BM / TM);
constexpr int FROM_A = BM * BK / THREADS, FROM_B = BN * BK / THREADS;
static_assert(FROM_A * THREADS == BM * BK && FROM_B * THREADS == BN * BK);

__global__ void __launch_bounds__(THREADS, BLOCKS)
    product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a_tile[BUFFERS][BK][BM + 4], b_tile[BUFFERS][BK][BN];
  const int t = threadIdx.x, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int row = t / ACROSS * TM, col = t % ACROSS;
  float sum[TM][TN] = {}, from_a[FROM_A], from_b[FROM_B];
  const auto fetch = [&](int k0) {
#pragma unroll
    for (int i = 0; i < FROM_A; ++i) {
      const int r = (t + i * THREADS) / BK, c = (t + i * THREADS) % BK;
      from_a[i] = row0 + r < M && k0 + c < K ? A[std::int64_t{row0 + r} * K + k0 + c] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < FROM_B; ++i) {
      const int r = (t + i * THREADS) / BN, c = (t + i * THREADS) % BN;
      from_b[i] = k0 + r < K && col0 + c < N ? B[std::int64_t{k0 + r} * N + col0 + c] : 0.0f;
    }
  };
  const auto keep = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < FROM_A; ++i) a_tile[buffer][(t + i * THREADS) % BK][(t + i * THREADS) / BK] = from_a[i];
#pragma unroll
    for (int i = 0; i < FROM_B; ++i) b_tile[buffer][(t + i * THREADS) / BN][(t + i * THREADS) % BN] = from_b[i];
  };
  int buffer = 0;
  fetch(0);
  keep(0);
  __syncthreads();
  for (int k0 = 0; k0 < K; k0 += BK) {
    const bool more = k0 + BK < K;
    if (AHEAD && more) fetch(k0 + BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = a_tile[buffer][k][row + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = b_tile[buffer][k][col + j * ACROSS];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
    }
    if (BUFFERS == 1) __syncthreads();
    if (more) {
      if (!AHEAD) fetch(k0 + BK);
      buffer = (buffer + 1) % BUFFERS;
      keep(buffer);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j)
      if (row0 + row + i < M && col0 + col + j * ACROSS < N) {
        float *to = C + std::int64_t{row0 + row + i} * N + col0 + col + j * ACROSS;
        *to = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * *to);
      }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<dim3(ceil_div(N, BN), ceil_div(M, BM)), THREADS>>>(M, N, K, alpha, A, B, beta, C);
}
