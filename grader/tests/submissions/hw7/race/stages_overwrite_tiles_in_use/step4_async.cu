// Starts copies STAGES strides ahead: into the tiles that are being read.
// Verdict: race, between ldmatrix and the copy.
#include <cuda_pipeline.h>

#include "hgemm.h"
#include "tensor.h"

constexpr int BM = 128, BN = 128, BK = 32;  // the block's tile of C, and its stride along K
constexpr int WM = 64, WN = 64;             // the part of this tile that one warp computes
constexpr int STAGES = 4;                   // pairs of tiles in shared memory
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
constexpr int CHUNK = 8, A_CHUNKS = BK / CHUNK, B_CHUNKS = BN / CHUNK;  // see step 3
constexpr int A_TILE = BM * A_CHUNKS, B_TILE = BK * B_CHUNKS;           // chunks of a tile
[[maybe_unused]] constexpr int SHARED_BYTES = STAGES * (A_TILE + B_TILE) * 16;

__global__ void __launch_bounds__(THREADS, 2)
    multiply_in_stages(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta,
                       float *C) {
  extern __shared__ uint4 tiles[];
  const auto place_in_a = [](int r, int chunk) { return r * A_CHUNKS + (chunk ^ (r / 2 % A_CHUNKS)); };
  const auto place_in_b = [](int k, int chunk) { return k * B_CHUNKS + (chunk ^ (k % 8)); };

  // Blocks that run at the same time compute 8 rows of tiles: what they read stays in the L2 cache for the
  // others.
  const int tiles_across = ceil_div(N, BN), tiles_down = ceil_div(M, BM);
  const int band = blockIdx.x / (8 * tiles_across), in_band = blockIdx.x % (8 * tiles_across);
  const int height = min(8, tiles_down - 8 * band);
  const int row0 = (8 * band + in_band % height) * BM, col0 = in_band / height * BN;
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;  // of this warp, in the block's tile

  // Starts the copies of the tiles that begin at k0, and ends their group. Beyond K the group is empty, so
  // that the number of groups that are under way is always the same.
  const auto fetch = [&](int k0) {
    uint4 *a_tile = tiles + k0 / BK % STAGES * (A_TILE + B_TILE), *b_tile = a_tile + A_TILE;
    if (k0 < K) {
      for (int i = 0; i < A_TILE / THREADS; ++i) {
        const int r = (i * THREADS + thread) / A_CHUNKS, chunk = thread % A_CHUNKS;
        const bool inside = row0 + r < M && k0 + chunk * CHUNK < K;
        const __half *from = inside ? A + (row0 + r) * std::int64_t{K} + k0 + chunk * CHUNK : A;
        __pipeline_memcpy_async(&a_tile[place_in_a(r, chunk)], from, 16, inside ? 0 : 16);
      }
      for (int i = 0; i < B_TILE / THREADS; ++i) {
        const int k = (i * THREADS + thread) / B_CHUNKS, chunk = thread % B_CHUNKS;
        const bool inside = k0 + k < K && col0 + chunk * CHUNK < N;
        const __half *from = inside ? B + (k0 + k) * std::int64_t{N} + col0 + chunk * CHUNK : B;
        __pipeline_memcpy_async(&b_tile[place_in_b(k, chunk)], from, 16, inside ? 0 : 16);
      }
    }
    __pipeline_commit();
  };

  for (int s = 0; s < STAGES; ++s) fetch(s * BK);
  float sum[WM / 16][WN / 8][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    __pipeline_wait_prior(STAGES - 1);  // the copies of this thread for this stride have arrived
    __syncthreads();                    // and those of all others; and nobody reads the last stride's tiles
    fetch(k0 + STAGES * BK);      // to where the last stride's tiles were

    const uint4 *a_tile = tiles + k0 / BK % STAGES * (A_TILE + B_TILE), *b_tile = a_tile + A_TILE;
    for (int k = 0; k < BK; k += 16) {
      unsigned a[WM / 16][4], b[WN / 16][4];
      for (int i = 0; i < WM / 16; ++i)
        load_matrices(a[i], &a_tile[place_in_a(row + i * 16 + lane % 16, k / CHUNK + lane / 16)]);
      for (int j = 0; j < WN / 16; ++j)
        load_matrices_transposed(b[j],
                                 &b_tile[place_in_b(k + lane % 16, (col + j * 16) / CHUNK + lane / 16)]);
      for (int i = 0; i < WM / 16; ++i)
        for (int j = 0; j < WN / 8; ++j)
          multiply_add(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }
  __pipeline_wait_prior(0);

#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
      for (int half = 0; half < 2; ++half) {
        const int r = row0 + row + i * 16 + half * 8 + lane / 4, c = col0 + col + j * 8 + lane % 4 * 2;
        if (r >= M || c >= N) continue;
        float2 *to = reinterpret_cast<float2 *>(C + r * std::int64_t{N} + c);
        float2 made = make_float2(alpha * sum[i][j][half * 2], alpha * sum[i][j][half * 2 + 1]);
        if (beta != 0.0f) {
          const float2 old = *to;
          made = make_float2(made.x + beta * old.x, made.y + beta * old.y);
        }
        *to = made;
      }
}

void step4(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  cudaFuncSetAttribute(multiply_in_stages, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  multiply_in_stages<<<ceil_div(M, BM) * ceil_div(N, BN), THREADS, SHARED_BYTES>>>(M, N, K, alpha, A, B, beta,
                                                                                   C);
}
