// A block of WY x WX warps computes a tile of C; each warp computes LY * TM rows and LX * TN columns of it with
// LY x LX = 32 lanes. cp.async fills STAGES tiles ahead, 16 bytes at a time (K and N must be multiples of 4).
//   WY, WX, LY, LX, TM, TN, BK, STAGES
#include "gemm.h"

constexpr int BM = WY * LY * TM, BN = WX * LX * TN, THREADS = 32 * WY * WX;
static_assert(LY * LX == 32 && BK % 4 == 0 && BN % 4 == 0 && TN % 4 == 0);

__device__ void copy(float *to, const float *from, bool take) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(take ? 16 : 0));
}

__global__ void __launch_bounds__(THREADS)
    product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ __align__(16) float a_tile[STAGES][BM][BK + 4];
  __shared__ __align__(16) float b_tile[STAGES][BK][BN];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int row = warp / WX * LY * TM + lane / LX, col = warp % WX * LX * TN + lane % LX * TN;
  const auto fetch = [&](int k0) {
    const int stage = k0 / BK % STAGES;
    for (int i = t; i < BM * BK / 4; i += THREADS) {
      const int r = i / (BK / 4), c = i % (BK / 4) * 4;
      const bool take = row0 + r < M && k0 + c < K;
      copy(&a_tile[stage][r][c], take ? A + std::int64_t{row0 + r} * K + k0 + c : A, take);
    }
    for (int i = t; i < BK * BN / 4; i += THREADS) {
      const int r = i / (BN / 4), c = i % (BN / 4) * 4;
      const bool take = k0 + r < K && col0 + c < N;
      copy(&b_tile[stage][r][c], take ? B + std::int64_t{k0 + r} * N + col0 + c : B, take);
    }
  };
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s * BK < K) fetch(s * BK);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    if (k0 + (STAGES - 1) * BK < K) fetch(k0 + (STAGES - 1) * BK);
    asm volatile("cp.async.commit_group;" ::: "memory");
    const int stage = k0 / BK % STAGES;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int i = 0; i < TM; ++i) a[i] = a_tile[stage][row + i * LY][k];
      for (int j = 0; j < TN; j += 4)
        *reinterpret_cast<float4 *>(b + j) = *reinterpret_cast<const float4 *>(&b_tile[stage][k][col + j]);
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
    }
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      if (row0 + row + i * LY < M && col0 + col + j < N) {
        float *to = C + std::int64_t{row0 + row + i * LY} * N + col0 + col + j;
        *to = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * *to);
      }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<dim3(ceil_div(N, BN), ceil_div(M, BM)), THREADS>>>(M, N, K, alpha, A, B, beta, C);
}
