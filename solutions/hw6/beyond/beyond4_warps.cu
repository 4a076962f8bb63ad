// Beyond 4, warp tiles: beyond 3 with 64 x 64 elements for each warp, 16 x 8 for each thread.
//
// A thread of beyond 3 reads 16 numbers for 64 products, here 24 for 128. The sums alone fill half of the
// registers that a thread can have, so an SM holds 8 warps only: enough, because 128 independent
// multiply-adds follow each other in every one of them.
#include "gemm.h"

constexpr int BM = 128, BN = 128, BK = 8;
constexpr int TM = 16, TN = 8;
constexpr int WM = 64, WN = 64;                      // of one warp: 4 x 8 lanes
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;  // 128
static_assert(BM * BK / 4 % THREADS == 0 && BK * BN / 4 % THREADS == 0, "threads share the copying evenly");

/// The four numbers from `from` on, of which `left` lie inside the matrix; the others count as zero. `whole`:
/// rows begin at multiples of 16 bytes, so that one instruction fetches all four.
static __device__ float4 load4(const float *from, std::int64_t left, bool whole) {
  if (whole && left >= 4) return *reinterpret_cast<const float4 *>(from);
  return make_float4(left > 0 ? from[0] : 0.0f, left > 1 ? from[1] : 0.0f, left > 2 ? from[2] : 0.0f,
                     left > 3 ? from[3] : 0.0f);
}

static __global__ void __launch_bounds__(THREADS, 2)
    gemm_warps(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // A's tile is stored turned, so that the rows of a thread are neighbours and are read four at a time.
  __shared__ float4 a_tile[BK][(BM + 4) / 4];  // 4 more rows keep the stores of a warp in different banks
  __shared__ float4 b_tile[BK][BN / 4];

  const int tiles_across = ceil_div(N, BN);
  const std::int64_t row0 = std::int64_t{blockIdx.x / tiles_across} * BM;
  const std::int64_t col0 = std::int64_t{blockIdx.x % tiles_across} * BN;
  const bool a_whole = K % 4 == 0, b_whole = N % 4 == 0;

  // As in beyond 3: bit 0 of the lane counts columns, bit 1 rows.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_col = (lane & 1) | (lane >> 3 & 3) << 1, lane_row = lane >> 1 & 3;
  const int row = warp % (BM / WM) * WM + lane_row * 4, col = warp / (BM / WM) * WN + lane_col * 4;
  const auto row_of = [&](int i) { return row + i / 4 * 16 + i % 4; };
  const auto col_of = [&](int j) { return col + j / 4 * 32 + j % 4; };

  // What a thread copies in one stride. It is fetched into registers while the stride before is multiplied,
  // and goes to shared memory when that is done.
  constexpr int A_COPIES = BM * BK / 4 / THREADS, B_COPIES = BK * BN / 4 / THREADS;
  float4 a_next[A_COPIES], b_next[B_COPIES];
  const int a_row = threadIdx.x / (BK / 4), a_k = threadIdx.x % (BK / 4) * 4;
  const int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
  constexpr int A_STEP = THREADS / (BK / 4), B_STEP = THREADS / (BN / 4);
  const bool inside = row0 + BM <= M && col0 + BN <= N && a_whole && b_whole;
  const auto fetch = [&](int k0) {
    const float *a_from = A + (row0 + a_row) * K + k0 + a_k,
                *b_from = B + (k0 + b_k) * std::int64_t{N} + col0 + b_col;
    if (inside && k0 + BK <= K) {  // nearly always: nothing to test
      for (int i = 0; i < A_COPIES; ++i)
        a_next[i] = *reinterpret_cast<const float4 *>(a_from + std::int64_t{i * A_STEP} * K);
      for (int i = 0; i < B_COPIES; ++i)
        b_next[i] = *reinterpret_cast<const float4 *>(b_from + std::int64_t{i * B_STEP} * N);
      return;
    }
    for (int i = 0; i < A_COPIES; ++i) {
      const std::int64_t left = row0 + a_row + i * A_STEP < M ? K - k0 - a_k : 0;
      a_next[i] = load4(left > 0 ? a_from + std::int64_t{i * A_STEP} * K : A, left, a_whole);
    }
    for (int i = 0; i < B_COPIES; ++i) {
      const std::int64_t left = k0 + b_k + i * B_STEP < K ? N - col0 - b_col : 0;
      b_next[i] = load4(left > 0 ? b_from + std::int64_t{i * B_STEP} * N : B, left, b_whole);
    }
  };

  float sum[TM][TN] = {};
  fetch(0);
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = 0; i < A_COPIES; ++i) {
      float *to = reinterpret_cast<float *>(a_tile) + a_k * (BM + 4) + a_row + i * A_STEP;
      to[0] = a_next[i].x;
      to[BM + 4] = a_next[i].y;
      to[2 * (BM + 4)] = a_next[i].z;
      to[3 * (BM + 4)] = a_next[i].w;
    }
    for (int i = 0; i < B_COPIES; ++i) b_tile[b_k + i * B_STEP][b_col / 4] = b_next[i];
    __syncthreads();
    if (k0 + BK < K) fetch(k0 + BK);

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int q = 0; q < TM / 4; ++q) reinterpret_cast<float4 *>(a)[q] = a_tile[k][(row_of(q * 4)) / 4];
      for (int q = 0; q < TN / 4; ++q) reinterpret_cast<float4 *>(b)[q] = b_tile[k][(col_of(q * 4)) / 4];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; j += 4) {
      const std::int64_t r = row0 + row_of(i), c = col0 + col_of(j);
      if (r >= M || c >= N) continue;
      float *at = C + r * N + c;
      const float4 old = beta == 0.0f ? make_float4(0, 0, 0, 0) : load4(at, N - c, b_whole);
      const float4 made =
          make_float4(alpha * sum[i][j] + beta * old.x, alpha * sum[i][j + 1] + beta * old.y,
                      alpha * sum[i][j + 2] + beta * old.z, alpha * sum[i][j + 3] + beta * old.w);
      if (b_whole) {
        *reinterpret_cast<float4 *>(at) = made;
      } else {
        at[0] = made.x;
        if (c + 1 < N) at[1] = made.y;
        if (c + 2 < N) at[2] = made.z;
        if (c + 3 < N) at[3] = made.w;
      }
    }
}

void beyond4(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  gemm_warps<<<ceil_div(M, BM) * ceil_div(N, BN), THREADS>>>(M, N, K, alpha, A, B, beta, C);
}
