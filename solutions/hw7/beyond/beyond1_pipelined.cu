// Beyond 1, fragments in two sets: step 4 with large tiles, so that a warp hardly ever waits for shared
// memory.
//
// While the tensor cores multiply the fragments of one k, ldmatrix brings those of the next. The first ones
// of a tile are loaded during the last products of the tile before it, so the barrier between two tiles costs
// little. Copies whose tiles lie inside of A and B take the way without tests. Addresses are added up, not
// computed anew: the swizzle depends on the lane alone, since all other parts of a row are multiples of 8.
#include <cuda_pipeline.h>

#include "hgemm.h"
#include "tensor.h"

constexpr int BM = 128, BN = 256, BK = 32;  // the block's tile of C, and its stride along K
constexpr int WM = 64, WN = 64;             // the part of this tile that one warp computes
constexpr int STAGES = 4;                   // pairs of tiles in shared memory
constexpr int BLOCKS = 1;                   // on a multiprocessor
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
constexpr int CHUNK = 8, A_CHUNKS = BK / CHUNK, B_CHUNKS = BN / CHUNK;
constexpr int A_TILE = BM * A_CHUNKS, B_TILE = BK * B_CHUNKS;  // chunks of a tile
constexpr int A_COPIES = A_TILE / THREADS, B_COPIES = B_TILE / THREADS;
constexpr int A_ROWS = THREADS / A_CHUNKS, B_ROWS = THREADS / B_CHUNKS;  // of a tile, copied at a time
constexpr int SHARED_BYTES = STAGES * (A_TILE + B_TILE) * 16;
static_assert(A_CHUNKS == 4 || A_CHUNKS == 8, "the swizzle of A is for rows of 64 or 128 bytes");
static_assert(A_TILE % THREADS == 0 && B_TILE % THREADS == 0 && THREADS % B_CHUNKS == 0, "equal shares");

static __device__ int swizzle_of_a(int row) {
  return A_CHUNKS == 8 ? row % 8 : row / 2 % 4;
}

__global__ void __launch_bounds__(THREADS, BLOCKS)
    multiply_pipelined(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta,
                       float *C) {
  extern __shared__ uint4 tiles[];
  // Blocks that run at the same time compute 8 rows of tiles: see step 4.
  const int tiles_across = ceil_div(N, BN), tiles_down = ceil_div(M, BM);
  const int band = blockIdx.x / (8 * tiles_across), in_band = blockIdx.x % (8 * tiles_across);
  const int height = min(8, tiles_down - 8 * band);
  const int row0 = (8 * band + in_band % height) * BM, col0 = in_band / height * BN;
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;  // of this warp, in the block's tile

  // Who copies what: the same chunk of several rows.
  const int a_row = thread / A_CHUNKS, a_chunk = thread % A_CHUNKS;
  const int b_row = thread / B_CHUNKS, b_chunk = thread % B_CHUNKS;
  static_assert(A_ROWS % 8 == 0 && (B_ROWS % 8 == 0 || 8 % B_ROWS == 0), "rows of one thread");
  const int a_to = a_row * A_CHUNKS + (a_chunk ^ swizzle_of_a(a_row));
  const __half *a_from = A + (row0 + a_row) * std::int64_t{K} + a_chunk * CHUNK;
  const __half *b_from = B + b_row * std::int64_t{N} + col0 + b_chunk * CHUNK;
  const std::int64_t a_jump = std::int64_t{A_ROWS} * K, b_jump = std::int64_t{B_ROWS} * N;
  const bool whole = row0 + BM <= M && col0 + BN <= N;
  int next = 0, writing = 0;  // where along K the next tiles begin, and their stage

  const auto fetch = [&]() {
    uint4 *a_tile = tiles + writing * (A_TILE + B_TILE), *b_tile = a_tile + A_TILE;
    if (whole && next + BK <= K) {
      for (int i = 0; i < A_COPIES; ++i)
        __pipeline_memcpy_async(&a_tile[a_to + i * A_ROWS * A_CHUNKS], a_from + i * a_jump, 16);
      for (int i = 0; i < B_COPIES; ++i) {
        const int k = b_row + i * B_ROWS;
        __pipeline_memcpy_async(&b_tile[k * B_CHUNKS + (b_chunk ^ (k % 8))], b_from + i * b_jump, 16);
      }
    } else if (next < K) {
      for (int i = 0; i < A_COPIES; ++i) {
        const bool inside = row0 + a_row + i * A_ROWS < M && next + a_chunk * CHUNK < K;
        __pipeline_memcpy_async(&a_tile[a_to + i * A_ROWS * A_CHUNKS], inside ? a_from + i * a_jump : A, 16,
                                inside ? 0 : 16);
      }
      for (int i = 0; i < B_COPIES; ++i) {
        const int k = b_row + i * B_ROWS;
        const bool inside = next + k < K && col0 + b_chunk * CHUNK < N;
        __pipeline_memcpy_async(&b_tile[k * B_CHUNKS + (b_chunk ^ (k % 8))], inside ? b_from + i * b_jump : B,
                                16, inside ? 0 : 16);
      }
    }
    __pipeline_commit();
    next += BK;
    a_from += BK;
    b_from += std::int64_t{BK} * N;
    writing = writing + 1 == STAGES ? 0 : writing + 1;
  };

  // The fragments of one k, twice: those that are multiplied, and those that are loaded.
  unsigned a[2][WM / 16][4], b[2][WN / 16][4];
  const int a_lane = (row + lane % 16) * A_CHUNKS, a_swizzle = swizzle_of_a(lane % 16);
  const int b_lane = lane % 16 * B_CHUNKS, b_swizzle = lane % 8;
  const auto load = [&](int to, int stage, int k) {
    const uint4 *a_tile = tiles + stage * (A_TILE + B_TILE), *b_tile = a_tile + A_TILE;
    const int a_place = a_lane + ((k / CHUNK + lane / 16) ^ a_swizzle);
    for (int i = 0; i < WM / 16; ++i) load_matrices(a[to][i], &a_tile[a_place + i * 16 * A_CHUNKS]);
    for (int j = 0; j < WN / 16; ++j) {
      const int chunk = (col / CHUNK + 2 * j + lane / 16) ^ b_swizzle;
      load_matrices_transposed(b[to][j], &b_tile[k * B_CHUNKS + b_lane + chunk]);
    }
  };

  for (int s = 0; s < STAGES - 1; ++s) fetch();
  int reading = 0;
  __pipeline_wait_prior(STAGES - 2);
  __syncthreads();
  load(0, reading, 0);
  float sum[WM / 16][WN / 8][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      if (k == BK - 16) {  // the next tiles: they have arrived, and nobody loads from the last ones any more
        reading = reading + 1 == STAGES ? 0 : reading + 1;
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
      }
      if (k != BK - 16 || k0 + BK < K) load((k / 16 + 1) % 2, reading, (k + 16) % BK);
      if (k == 0) fetch();
      for (int i = 0; i < WM / 16; ++i)
        for (int j = 0; j < WN / 8; ++j)
          multiply_add(sum[i][j], a[k / 16 % 2][i], b[k / 16 % 2][j / 2][j % 2 * 2],
                       b[k / 16 % 2][j / 2][j % 2 * 2 + 1]);
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

void beyond1(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  cudaFuncSetAttribute(multiply_pipelined, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  multiply_pipelined<<<ceil_div(M, BM) * ceil_div(N, BN), THREADS, SHARED_BYTES>>>(M, N, K, alpha, A, B, beta,
                                                                                   C);
}
