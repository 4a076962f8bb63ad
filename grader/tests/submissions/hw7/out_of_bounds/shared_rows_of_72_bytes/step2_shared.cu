// Pads rows of the tile of A by 4 halves against conflicts. Rows of a fragment must begin at multiples of 16 bytes.
// Verdict: out_of_bounds (misaligned), in the line of the copy or of the load.
#include <mma.h>

#include "hgemm.h"

constexpr int BM = 64, BN = 64, BK = 32;  // the block's tile of C, and its stride along K
constexpr int WM = 32, WN = 32;           // the part of this tile that one warp computes
constexpr int TILE = 16;                  // rows and columns of a fragment
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
static_assert(WM % TILE == 0 && WN % TILE == 0 && BK % TILE == 0, "whole fragments");
static_assert(BM * BK / 8 % THREADS == 0 && BK * BN / 8 % THREADS == 0, "threads share the copying evenly");

__global__ void __launch_bounds__(THREADS) multiply_shared(int M, int N, int K, float alpha, const __half *A,
                                                           const __half *B, float beta, float *C) {
  using namespace nvcuda;
  __shared__ alignas(32) __half a_tile[BM][BK + 4];
  __shared__ alignas(32) __half b_tile[BK][BN];
  __shared__ alignas(32) float c_tile[BM][BN];
  const int tiles_across = ceil_div(N, BN);
  const int row0 = blockIdx.x / tiles_across * BM, col0 = blockIdx.x % tiles_across * BN;
  const int thread = threadIdx.x, warp = thread / 32;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;  // of this warp, in the block's tile

  wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum[WM / TILE][WN / TILE];
  for (int i = 0; i < WM / TILE; ++i)
    for (int j = 0; j < WN / TILE; ++j) wmma::fill_fragment(sum[i][j], 0.0f);

  const uint4 zeros = make_uint4(0, 0, 0, 0);
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = thread; i < BM * BK / 8; i += THREADS) {
      const int r = i / (BK / 8), k = i % (BK / 8) * 8;
      const bool inside = row0 + r < M && k0 + k < K;
      const __half *from = A + (row0 + r) * std::int64_t{K} + k0 + k;
      *reinterpret_cast<uint4 *>(&a_tile[r][k]) = inside ? *reinterpret_cast<const uint4 *>(from) : zeros;
    }
    for (int i = thread; i < BK * BN / 8; i += THREADS) {
      const int k = i / (BN / 8), c = i % (BN / 8) * 8;
      const bool inside = k0 + k < K && col0 + c < N;
      const __half *from = B + (k0 + k) * std::int64_t{N} + col0 + c;
      *reinterpret_cast<uint4 *>(&b_tile[k][c]) = inside ? *reinterpret_cast<const uint4 *>(from) : zeros;
    }
    __syncthreads();  // nobody reads the tiles before they are complete

    for (int k = 0; k < BK; k += TILE) {
      wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __half, wmma::row_major> a[WM / TILE];
      wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, wmma::row_major> b[WN / TILE];
      for (int i = 0; i < WM / TILE; ++i) wmma::load_matrix_sync(a[i], &a_tile[row + i * TILE][k], BK + 4);
      for (int j = 0; j < WN / TILE; ++j) wmma::load_matrix_sync(b[j], &b_tile[k][col + j * TILE], BN);
      for (int i = 0; i < WM / TILE; ++i)
        for (int j = 0; j < WN / TILE; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
    }
    __syncthreads();  // nobody overwrites the tiles before all have read them
  }

  for (int i = 0; i < WM / TILE; ++i)
    for (int j = 0; j < WN / TILE; ++j)
      wmma::store_matrix_sync(&c_tile[row + i * TILE][col + j * TILE], sum[i][j], BN, wmma::mem_row_major);
  __syncthreads();
  for (int i = thread; i < BM * BN; i += THREADS) {
    const int r = row0 + i / BN, c = col0 + i % BN;
    if (r >= M || c >= N) continue;
    float *to = C + r * std::int64_t{N} + c;
    const float product = alpha * c_tile[i / BN][i % BN];
    *to = beta != 0.0f ? product + beta * *to : product;
  }
}

void step2(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  multiply_shared<<<ceil_div(M, BM) * ceil_div(N, BN), THREADS>>>(M, N, K, alpha, A, B, beta, C);
}
