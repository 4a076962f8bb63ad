// No shared memory: each thread computes TM x 4 elements of C from 16 bytes of a row of B and single elements of A,
// U steps of K at a time (K must be a multiple of U, N of 4).
//   BX, BY      threads of a block
//   TM, U
//   SHUFFLE     1: a warp's lanes read 32 elements of a row of A and hand them on (K must be a multiple of 32)
#include "gemm.h"

#ifndef SHUFFLE
#define SHUFFLE 0
#endif

constexpr int UNROLLED = U;  // a pragma wants a name, not a macro

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int row = (blockIdx.y * BY + threadIdx.y) * TM, col = (blockIdx.x * BX + threadIdx.x) * 4;
  const int lane = threadIdx.x % 32, safe = min(col, N - 4);
  float sum[TM][4] = {};
  const auto b_at = [&](int k) { return *reinterpret_cast<const float4 *>(B + std::int64_t{k} * N + safe); };
  const auto a_at = [&](int i, int k) { return A[std::int64_t{min(row + i, M - 1)} * K + k]; };
  const auto add = [&](int i, float a, float4 b) {
    sum[i][0] += a * b.x, sum[i][1] += a * b.y, sum[i][2] += a * b.z, sum[i][3] += a * b.w;
  };
  if (SHUFFLE) {
    for (int k0 = 0; k0 < K; k0 += 32) {
      float a[TM];
      for (int i = 0; i < TM; ++i) a[i] = a_at(i, k0 + lane);
#pragma unroll(UNROLLED)
      for (int k = 0; k < 32; ++k) {
        const float4 b = b_at(k0 + k);
        for (int i = 0; i < TM; ++i) add(i, __shfl_sync(0xffffffffu, a[i], k), b);
      }
    }
  } else {
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += U)
#pragma unroll
      for (int k = 0; k < U; ++k) {
        const float4 b = b_at(k0 + k);
        for (int i = 0; i < TM; ++i) add(i, a_at(i, k0 + k), b);
      }
  }
  if (col >= N) return;
  for (int i = 0; i < TM && row + i < M; ++i) {
    float *to = C + std::int64_t{row + i} * N + col;
    for (int j = 0; j < 4; ++j) to[j] = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * to[j]);
  }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<dim3(ceil_div(N, BX * 4), ceil_div(M, BY * TM)), dim3(BX, BY)>>>(M, N, K, alpha, A, B, beta, C);
}
