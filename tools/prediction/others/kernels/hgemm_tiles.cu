// Tiles of both factors in shared memory, copied in vectors; fragments of 16 x 16, four by two for each warp.
#include <mma.h>

#include "hgemm.h"

using namespace nvcuda;

[[maybe_unused]] constexpr int TILE = 128, DEEP = 32, PAD = 8, THREADS = 256;

__global__ void multiply_padded_tiles(int M, int N, int K, float alpha, const __half *A, const __half *B,
                                      float beta, float *C) {
  __shared__ __half a_tile[TILE][DEEP + PAD], b_tile[DEEP][TILE + PAD];
  const int t = threadIdx.x, warp = t / 32, first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
  const int row = warp / 4 * 64, column = warp % 4 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4][2];
  for (auto &line : sums)
    for (auto &sum : line) wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < K; k += DEEP) {
    for (int i = t; i < TILE * DEEP / 8; i += THREADS) {
      const int ar = i / (DEEP / 8), ac = i % (DEEP / 8) * 8, br = i / (TILE / 8), bc = i % (TILE / 8) * 8;
      const float4 zero = {};
      *reinterpret_cast<float4 *>(&a_tile[ar][ac]) =
          first_row + ar < M && k + ac < K
              ? *reinterpret_cast<const float4 *>(A + static_cast<std::int64_t>(first_row + ar) * K + k + ac)
              : zero;
      *reinterpret_cast<float4 *>(&b_tile[br][bc]) =
          k + br < K && first_column + bc < N
              ? *reinterpret_cast<const float4 *>(B + static_cast<std::int64_t>(k + br) * N + first_column +
                                                  bc)
              : zero;
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < DEEP; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[2];
      for (int i = 0; i < 4; ++i) wmma::load_matrix_sync(a[i], &a_tile[row + 16 * i][step], DEEP + PAD);
      for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(b[j], &b_tile[step][column + 16 * j], TILE + PAD);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) {
      if (first_row + row + 16 * i >= M || first_column + column + 16 * j >= N) continue;
      float *const to =
          C + static_cast<std::int64_t>(first_row + row + 16 * i) * N + first_column + column + 16 * j;
      if (beta != 0.0f) {
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> old;
        wmma::load_matrix_sync(old, to, N, wmma::mem_row_major);
        for (int e = 0; e < old.num_elements; ++e)
          sums[i][j].x[e] = alpha * sums[i][j].x[e] + beta * old.x[e];
      } else {
        for (int e = 0; e < sums[i][j].num_elements; ++e) sums[i][j].x[e] *= alpha;
      }
      wmma::store_matrix_sync(to, sums[i][j], N, wmma::mem_row_major);
    }
}

void step2(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  multiply_padded_tiles<<<dim3(ceil_div(N, TILE), ceil_div(M, TILE)), THREADS>>>(M, N, K, alpha, A, B, beta,
                                                                                 C);
}
