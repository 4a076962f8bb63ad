// Warps take fragments of 16 x 16 straight from global memory: two by two products for each warp.
#include <mma.h>

#include "hgemm.h"

using namespace nvcuda;

[[maybe_unused]] constexpr int DOWN = 2, ACROSS = 2, WARPS_DOWN = 2, WARPS_ACROSS = 4;

__global__ void multiply_fragments(int M, int N, int K, float alpha, const __half *A, const __half *B,
                                   float beta, float *C) {
  const int warp = threadIdx.x / 32, row = (blockIdx.y * WARPS_DOWN + warp / WARPS_ACROSS) * 16 * DOWN,
            column = (blockIdx.x * WARPS_ACROSS + warp % WARPS_ACROSS) * 16 * ACROSS;
  if (row >= M || column >= N) return;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[DOWN][ACROSS];
  for (auto &line : sums)
    for (auto &sum : line) wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a[DOWN];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[ACROSS];
#pragma unroll
    for (int i = 0; i < DOWN; ++i)
      wmma::load_matrix_sync(a[i], A + static_cast<std::int64_t>(row + 16 * i) * K + k, K);
#pragma unroll
    for (int j = 0; j < ACROSS; ++j)
      wmma::load_matrix_sync(b[j], B + static_cast<std::int64_t>(k) * N + column + 16 * j, N);
#pragma unroll
    for (int i = 0; i < DOWN; ++i)
#pragma unroll
      for (int j = 0; j < ACROSS; ++j) wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);
  }
#pragma unroll
  for (int i = 0; i < DOWN; ++i)
#pragma unroll
    for (int j = 0; j < ACROSS; ++j) {
      float *const to = C + static_cast<std::int64_t>(row + 16 * i) * N + column + 16 * j;
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

void step1(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  const dim3 blocks(ceil_div(N, 16 * ACROSS * WARPS_ACROSS), ceil_div(M, 16 * DOWN * WARPS_DOWN));
  multiply_fragments<<<blocks, 32 * WARPS_DOWN * WARPS_ACROSS>>>(M, N, K, alpha, A, B, beta, C);
}
