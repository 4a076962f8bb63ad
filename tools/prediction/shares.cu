// The warps of a block share K: each adds up every WARPS-th stretch of U steps for the same tile of 32 x RM elements,
// and they add their sums in shared memory, pair by pair.
//   WARPS       a power of two
//   RM          rows of the tile
//   U
#include "gemm.h"

constexpr int UNROLLED = U;

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float sums[WARPS][RM][33];
  const int lane = threadIdx.x, warp = threadIdx.y, row0 = blockIdx.y * RM, col = blockIdx.x * 32 + lane;
  float sum[RM] = {};
  if (col < N)
    for (int k0 = warp * U; k0 < K; k0 += WARPS * U)
#pragma unroll(UNROLLED)
      for (int u = 0; u < U; ++u) {
        const int k = min(k0 + u, K - 1);
        const float b = k0 + u < K ? B[std::int64_t{k} * N + col] : 0.0f;
#pragma unroll
        for (int i = 0; i < RM; ++i) sum[i] += A[std::int64_t{min(row0 + i, M - 1)} * K + k] * b;
      }
#pragma unroll
  for (int i = 0; i < RM; ++i) sums[warp][i][lane] = sum[i];
  for (int half = WARPS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (warp < half)
      for (int i = 0; i < RM; ++i) sums[warp][i][lane] += sums[warp + half][i][lane];
  }
  __syncthreads();
  for (int i = warp; i < RM; i += WARPS)
    if (row0 + i < M && col < N) {
      float *to = C + std::int64_t{row0 + i} * N + col;
      *to = alpha * sums[0][i][lane] + (beta == 0.0f ? 0.0f : beta * *to);
    }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<dim3(ceil_div(N, 32), ceil_div(M, RM)), dim3(32, WARPS)>>>(M, N, K, alpha, A, B, beta, C);
}
