// Tiles are copied as if every size were a multiple of them.
// Verdict: out_of_bounds, at 31 x 31 the first tile of A already reads past the end of the matrix.
#include "pa2.h"

template <class G>
__global__ void __launch_bounds__(G::bx *G::by)
    tiled_product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a_tile[G::tile_m][G::tile_k];
  __shared__ float b_tile[G::tile_k][G::tile_n];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * G::tile_m, col0 = blockIdx.x * G::tile_n;
  float sum[G::rows][G::cols] = {};
  for (int k0 = 0; k0 < K; k0 += G::tile_k) {
    for (int r = ty; r < G::tile_m; r += G::by)
      for (int c = tx; c < G::tile_k; c += G::bx)
        a_tile[r][c] = A[std::int64_t{row0 + r} * K + k0 + c];
    for (int r = ty; r < G::tile_k; r += G::by)
      for (int c = tx; c < G::tile_n; c += G::bx)
        b_tile[r][c] = B[std::int64_t{k0 + r} * N + col0 + c];
    __syncthreads();
    for (int k = 0; k < G::tile_k; ++k)
      for (int i = 0; i < G::rows; ++i)
        for (int j = 0; j < G::cols; ++j) sum[i][j] += a_tile[ty + i * G::by][k] * b_tile[k][tx + j * G::bx];
    __syncthreads();
  }
  for (int i = 0; i < G::rows; ++i)
    for (int j = 0; j < G::cols; ++j) {
      const int row = row0 + ty + i * G::by, col = col0 + tx + j * G::bx;
      if (row >= M || col >= N) continue;
      float *to = C + std::int64_t{row} * N + col;
      *to = beta == 0.0f ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *to;
    }
}

void matmul(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const dim3 grid(ceil_div(N, Large::tile_n), ceil_div(M, Large::tile_m)), block(Large::bx, Large::by);
  tiled_product<Large><<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
