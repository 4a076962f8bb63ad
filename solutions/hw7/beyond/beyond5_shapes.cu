// Beyond 5, every shape: blocks that stay, results that leave in the background, tiles that fit the shape.
//
// In beyond 3, a multiprocessor multiplies nothing while a block writes its results and the next one starts.
// Here there are as many blocks as multiprocessors, and each takes one tile after another. While results are
// written, the warp that copies fetches the next tile already. Results go to shared memory, from where the
// copy engine takes whole rows of 128 bytes. Without clusters: beyond 4 showed that the L2 cache does not
// limit these tiles.
//
// A matrix whose rows do not begin at multiples of 16 bytes is copied first, with padded rows, because the
// copy engine cannot read it. Of five tiles, that one is taken which is done first if the multiprocessors take
// them in rounds: at 1024 x 1024, 128 of 64 x 128 keep nearly all busy, and 64 of 128 x 128 only half.
#include <algorithm>

#include "hopper.h"

constexpr int BK = 64;      // the stride along K
constexpr int BUFFERS = 2;  // boxes of results, for each warpgroup that multiplies

/// One warpgroup that copies, and CONSUMERS that multiply, each 64 rows of a tile with COLUMNS columns. A stride
/// takes NANOSECONDS, as measured on an H200.
template <int CONSUMERS, int COLUMNS, int STAGES_, int NANOSECONDS>
struct Tiles {
  // Registers of a thread that copies, and of one that multiplies; a block has at most 65,536.
  static constexpr int COPYING = CONSUMERS == 3 ? 32 : 40, MULTIPLYING = CONSUMERS == 3 ? 160 : 232;
  static constexpr int BM = CONSUMERS * 64, BN = COLUMNS, STAGES = STAGES_, THREADS = (1 + CONSUMERS) * 128;
  static constexpr int A_TILE = BM * BK, B_TILE = BK * BN;  // halves
  static constexpr int STAGE_BYTES = (A_TILE + B_TILE) * sizeof(__half);
  static constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + CONSUMERS * BUFFERS * BOX_BYTES;

  static int count(int M, int N) { return ceil_div(M, BM) * ceil_div(N, BN); }
  /// How long the strides of all rounds take.
  static int cost(int M, int N, int multiprocessors) {
    return ceil_div(count(M, N), multiprocessors) * NANOSECONDS;
  }
};
using Large = Tiles<2, 256, 4, 720>;
using Tall = Tiles<3, 128, 4, 560>;
using Medium = Tiles<2, 128, 6, 365>;
using Flat = Tiles<1, 128, 8, 222>;
using Small = Tiles<1, 64, 8, 170>;

/// COPIED: the copy engine writes C, which is not read. Otherwise threads do, at any row length and beta.
template <class T, bool COPIED>
__global__ void __launch_bounds__(T::THREADS, 1)
    multiply_tiles(int M, int N, int K, float alpha, float beta, float *C,
                   const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                   const __grid_constant__ CUtensorMap to) {
  constexpr int BM = T::BM, BN = T::BN, STAGES = T::STAGES, A_TILE = T::A_TILE, B_TILE = T::B_TILE;
  extern __shared__ __align__(1024) __half tiles[];
  __shared__ Barrier full[STAGES], empty[STAGES];
  const int thread = threadIdx.x, group = thread / 128;
  if (thread == 0) {
    fetch_map(A), fetch_map(B);
    for (Barrier &barrier : full) start_barrier(&barrier, 1);
    for (Barrier &barrier : empty) start_barrier(&barrier, BM / 64);
    publish_barriers();
  }
  __syncthreads();

  // Blocks that run at the same time compute 16 rows of tiles: see step 4.
  const int tiles_across = ceil_div(N, BN), tiles_down = ceil_div(M, BM), strides = ceil_div(K, BK);
  const int count = tiles_across * tiles_down;
  const auto place = [&](int tile, int &row, int &col) {
    const int band = tile / (16 * tiles_across), in_band = tile % (16 * tiles_across);
    const int height = min(16, tiles_down - 16 * band);
    row = (16 * band + in_band % height) * BM;
    col = in_band / height * BN;
  };
  int stage = 0, round = 0;  // both sides go through the stages in the same order, over all tiles
  const auto advance = [&] {
    if (++stage == STAGES) stage = 0, round ^= 1;
  };

  if (group == 0) {
    give_registers_up<T::COPYING>();
    if (thread != 0) return;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
      int row, col;
      place(tile, row, col);
      for (int s = 0; s < strides; ++s, advance()) {
        await(&empty[stage], round ^ 1);
        __half *a = tiles + stage * (A_TILE + B_TILE), *b = a + A_TILE;
        arrive_and_expect(&full[stage], T::STAGE_BYTES);
        copy_box(a, A, s * BK, row, &full[stage]);
        for (int i = 0; i < BN / 64; ++i) copy_box(b + i * 64 * BK, B, col + i * 64, s * BK, &full[stage]);
      }
    }
    return;
  }

  take_registers<T::MULTIPLYING>();
  const int mine = group - 1;
  char *boxes = reinterpret_cast<char *>(tiles + STAGES * (A_TILE + B_TILE)) + mine * BUFFERS * BOX_BYTES;
  for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
    int row, col;
    place(tile, row, col);
    float sum[BN / 2];
    int last = 0;
    for (int s = 0; s < strides; ++s, advance()) {
      await(&full[stage], round);
      const __half *a = tiles + stage * (A_TILE + B_TILE), *b = a + A_TILE;
      wgmma_fence();
#pragma unroll
      for (int k = 0; k < BK; k += 16)
        multiply_tile(sum, factor_at(a + mine * 64 * BK + k), factor_at(b + k * 64, 64 * BK * 2), s + k > 0);
      wgmma_commit();
      if (s > 0) {
        wgmma_wait(1);
        if (thread % 128 == 0) arrive(&empty[last]);
      }
      last = stage;
    }
    wgmma_wait(0);
    if (thread % 128 == 0) arrive(&empty[last]);

    if constexpr (COPIED)
      store_by_copies<BUFFERS>(boxes, 1 + mine, alpha, sum, [&](const char *box, int column) {
        store_box(to, box, col + column, row + mine * 64);
      });
    else
      store_tile(C, M, N, row + mine * 64, col, alpha, beta, sum);
  }
  if (COPIED && thread % 128 == 0) await_stores<0>();  // the copy engine reads shared memory of this block
}

/// Copies rows of `columns` halves to rows that are `stride` halves apart.
__global__ void pad_rows(std::int64_t rows, int columns, int stride, const __half *from, __half *to) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    for (int i = threadIdx.x; i < columns; i += blockDim.x) to[row * stride + i] = from[row * columns + i];
}

struct Product {
  int M, N, K;
  float alpha, beta;
  const __half *A, *B;
  int a_stride, b_stride;  // halves from row to row
  float *C;
};

template <class T, bool COPIED>
static void launch(const Product &p, int multiprocessors) {
  const int blocks = std::min(T::count(p.M, p.N), multiprocessors);
  cudaFuncSetAttribute(multiply_tiles<T, COPIED>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       T::SHARED_BYTES);
  multiply_tiles<T, COPIED><<<blocks, T::THREADS, T::SHARED_BYTES>>>(
      p.M, p.N, p.K, p.alpha, p.beta, p.C, map_of(p.A, p.M, p.K, p.a_stride, T::BM),
      map_of(p.B, p.K, p.N, p.b_stride, BK), COPIED ? map_of_c(p.C, p.M, p.N) : CUtensorMap{});
}

/// With the tiles that cost least; of equal ones with the largest.
template <class T, class... Smaller>
static void launch_best(const Product &p, int multiprocessors) {
  const int cost = T::cost(p.M, p.N, multiprocessors);
  if constexpr (sizeof...(Smaller) > 0)
    if (std::min({Smaller::cost(p.M, p.N, multiprocessors)...}) < cost)
      return launch_best<Smaller...>(p, multiprocessors);
  if (p.N % 4 == 0 && p.beta == 0.0f)
    launch<T, true>(p, multiprocessors);
  else
    launch<T, false>(p, multiprocessors);
}

void beyond5(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  Product p{M, N, K, alpha, beta, A, B, K, N, C};
  __half *padded_a = nullptr, *padded_b = nullptr;
  if (K % 8 != 0) {
    p.a_stride = ceil_div(K, 8) * 8;
    cudaMalloc(&padded_a, sizeof(__half) * M * p.a_stride);
    pad_rows<<<std::min(M, 4096), 256>>>(M, K, p.a_stride, A, padded_a);
    p.A = padded_a;
  }
  if (N % 8 != 0) {
    p.b_stride = ceil_div(N, 8) * 8;
    cudaMalloc(&padded_b, sizeof(__half) * K * p.b_stride);
    pad_rows<<<std::min(K, 4096), 256>>>(K, N, p.b_stride, B, padded_b);
    p.B = padded_b;
  }
  int multiprocessors = 1;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  launch_best<Large, Tall, Medium, Flat, Small>(p, multiprocessors);
  if (padded_a != nullptr) cudaFree(padded_a);
  if (padded_b != nullptr) cudaFree(padded_b);
}
