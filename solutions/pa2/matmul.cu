// Tiles in shared memory, and many results per thread. Every size that you can tune is in options.h.
//
// A thread's results are BX columns and BY rows apart. So neighbouring threads compute neighbouring elements
// in a row of C, and a warp reads and writes neighbouring elements.
#include "pa2.h"

template <class G>
__global__ void __launch_bounds__(G::bx *G::by)
    tiled_product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(1): for each stride of G::tile_k along K, copy a tile of A and a tile of B to shared memory, with
  // zeros outside the matrices; then let each thread add to its G::rows x G::cols sums, which it keeps in
  // registers. Write the results inside C. Which numbers are read from shared memory more than once?
  // BEGIN SOLUTION
  // Four more floats in a row of A's tile: rows of threads that share a warp then read different banks, and
  // four neighbours along K still start where a float4 may.
  constexpr int pitch = G::tile_k + 4;
  static_assert(G::tile_k % 4 == 0, "four numbers of a row of A are read at once");
  extern __shared__ float4 tiles[];
  float *const a_tile = reinterpret_cast<float *>(tiles);  // tile_m x pitch
  float *const b_tile = a_tile + G::tile_m * pitch;        // tile_k x tile_n
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * G::tile_m, col0 = blockIdx.x * G::tile_n;

  float sum[G::rows][G::cols] = {};
  for (int k0 = 0; k0 < K; k0 += G::tile_k) {
    // Along rows of A and of B: neighbouring threads read neighbouring numbers.
    for (int r = ty; r < G::tile_m; r += G::by)
      for (int c = tx; c < G::tile_k; c += G::bx)
        a_tile[r * pitch + c] = row0 + r < M && k0 + c < K ? A[std::int64_t{row0 + r} * K + (k0 + c)] : 0.0f;
    for (int r = ty; r < G::tile_k; r += G::by)
      for (int c = tx; c < G::tile_n; c += G::bx)
        b_tile[r * G::tile_n + c] =
            k0 + r < K && col0 + c < N ? B[std::int64_t{k0 + r} * N + (col0 + c)] : 0.0f;
    __syncthreads();  // nobody reads the tiles before they are complete

    // A number of B serves all rows of a thread, so it stays in a register. One of A is the same for a whole
    // row of threads, which a warp gets in one go.
#pragma unroll 2
    for (int k = 0; k < G::tile_k; k += 4) {
      float b[4][G::cols];
      for (int d = 0; d < 4; ++d)
        for (int j = 0; j < G::cols; ++j) b[d][j] = b_tile[(k + d) * G::tile_n + tx + j * G::bx];
#pragma unroll
      for (int i = 0; i < G::rows; ++i) {
        const float4 a = *reinterpret_cast<const float4 *>(&a_tile[(ty + i * G::by) * pitch + k]);
        for (int j = 0; j < G::cols; ++j)
          sum[i][j] += a.x * b[0][j] + a.y * b[1][j] + a.z * b[2][j] + a.w * b[3][j];
      }
    }
    __syncthreads();  // nobody overwrites the tiles before all have read them
  }

  for (int i = 0; i < G::rows; ++i)
    for (int j = 0; j < G::cols; ++j) {
      const int row = row0 + ty + i * G::by, col = col0 + tx + j * G::bx;
      if (row >= M || col >= N) continue;
      float *to = C + std::int64_t{row} * N + col;
      *to = beta == 0.0f ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *to;
    }
  // END SOLUTION
}

template <class G>
void launch(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch tiled_product<G> with blocks of G::bx x G::by threads, one for each tile of C. Without
  // cudaFuncSetAttribute, a block gets at most 48 KiB of shared memory; larger tiles must request more.
  // BEGIN SOLUTION
  constexpr int bytes =
      (G::tile_m * (G::tile_k + 4) + G::tile_k * G::tile_n) * static_cast<int>(sizeof(float));
  cudaFuncSetAttribute(tiled_product<G>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  const dim3 grid(ceil_div(N, G::tile_n), ceil_div(M, G::tile_m)), block(G::bx, G::by);
  tiled_product<G><<<grid, block, bytes>>>(M, N, K, alpha, A, B, beta, C);
  // END SOLUTION
}

void matmul(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(3): choose the geometry by the size of C.
  // BEGIN SOLUTION
  if (M <= SMALL_UP_TO && N <= SMALL_UP_TO)
    launch<Small>(M, N, K, alpha, A, B, beta, C);
  else
    launch<Large>(M, N, K, alpha, A, B, beta, C);
  // END SOLUTION
}
