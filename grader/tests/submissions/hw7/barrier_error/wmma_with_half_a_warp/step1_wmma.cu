// Launches 16 threads, one for each row of the tile. A fragment belongs to a whole warp.
// Verdict: barrier_error, in the line of the first instruction that needs 32 lanes.
#include <mma.h>

#include "hgemm.h"

[[maybe_unused]] constexpr int TILE = 16;  // rows and columns of each fragment

__global__ void multiply_tile(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta,
                              float *C) {
  using namespace nvcuda;
  const std::int64_t row = std::int64_t{blockIdx.x / (N / TILE)} * TILE;
  const std::int64_t col = std::int64_t{blockIdx.x % (N / TILE)} * TILE;

  wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < K; k += TILE) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + std::int64_t{k} * N + col, N);
    wmma::mma_sync(sum, a, b, sum);
  }

  float *c = C + row * N + col;
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= alpha;
  if (beta != 0.0f) {
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> old;
    wmma::load_matrix_sync(old, c, N, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] += beta * old.x[i];
  }
  wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

void step1(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  multiply_tile<<<(M / TILE) * (N / TILE), TILE>>>(M, N, K, alpha, A, B, beta, C);
}
