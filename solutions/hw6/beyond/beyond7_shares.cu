// Beyond 7, the same work for each block: beyond 6 for every shape.
//
// 144 tiles on 132 multiprocessors take as long as 264, since twelve multiprocessors have two and all others
// wait for them. So tiles that do not fill a round are cut along K: their strides, one tile after the other,
// are dealt out in equal shares, one for each place on the GPU. A share may end in the middle of a tile and
// go on with the next one. Tiles that are cut leave sums in memory, which a second kernel adds up. Where C is
// so small that pieces would cost more than they save, small tiles keep more multiprocessors busy.
#include "gemm.h"

constexpr int BK = 8;
constexpr int LEAST = 4;                       // strides of a share
constexpr int QUAD_ROWS = 16, QUAD_COLS = 32;  // from one quad of a thread to its next

/// A block's tile, bm x bn. A thread has qm x qn quads of 4 x 4 elements. fetch: the k at which copies begin.
/// blocks: on one multiprocessor.
template <int bm, int bn, int qm, int qn, int stages, int fetch, int blocks>
struct Tile {
  static constexpr int BM = bm, BN = bn, QM = qm, QN = qn;
  static constexpr int STAGES = stages, FETCH = fetch, BLOCKS = blocks;
  static constexpr int WM = QM * QUAD_ROWS, WN = QN * QUAD_COLS, THREADS = (BM / WM) * (BN / WN) * 32;
  static constexpr int LDA = BM + 4;  // the copies of a warp then go to 32 different banks
  static constexpr int SHARED_BYTES = STAGES * BK * (LDA + BN) * 4;

  /// Where the sums of a thread are in its tile: row and column of its first quad.
  static __device__ int2 place(int thread) {
    const int lane = thread % 32, warp = thread / 32;
    const int lane_col = (lane & 1) | (lane >> 3 & 3) << 1, lane_row = lane >> 1 & 3;  // see beyond 3
    return make_int2(warp % (BM / WM) * WM + lane_row * 4, warp / (BM / WM) * WN + lane_col * 4);
  }

  /// The corner of a tile. Blocks that run at the same time work on 8 rows of tiles: what they read stays in
  /// the L2 cache for the others.
  static __device__ int2 corner(int tile, int M, int N) {
    const int tiles_across = ceil_div(N, BN), tiles_down = ceil_div(M, BM);
    const int band = tile / (8 * tiles_across), in_band = tile % (8 * tiles_across);
    const int height = min(8, tiles_down - 8 * band);
    return make_int2((8 * band + in_band % height) * BM, in_band / height * BN);
  }
};
using Large = Tile<128, 128, 4, 2, 4, 5, 2>;
using Small = Tile<32, 64, 2, 1, 5, 0, 8>;

// Copies that run in the background: from global to shared memory, past the registers. Without `take` zeros
// arrive.
static __device__ void copy4(std::uint32_t to, const void *from, bool take = true) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(take ? 4 : 0));
}
static __device__ void copy16(std::uint32_t to, const void *from, bool take = true) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(take ? 16 : 0));
}
/// Ends a group of copies.
static __device__ void end_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most `left` of this thread's groups are under way.
template <int left>
static __device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

/// Writes four neighbours of C from column c on: alpha times `sum`, and beta times what C held.
template <bool whole>
static __device__ void finish(float4 sum, float beta, float *at, int left) {
  if (whole) {
    if (beta != 0.0f) {
      const float4 old = *reinterpret_cast<const float4 *>(at);
      sum =
          make_float4(sum.x + beta * old.x, sum.y + beta * old.y, sum.z + beta * old.z, sum.w + beta * old.w);
    }
    *reinterpret_cast<float4 *>(at) = sum;
  } else {
    for (int j = 0; j < 4; ++j)
      if (j < left) at[j] = (&sum.x)[j] + (beta != 0.0f ? beta * at[j] : 0.0f);
  }
}

/// A block takes `each` strides from blockIdx.x * each on, counted through all tiles from first_tile on.
/// whole: N is a multiple of 4, so that rows of B and C begin at multiples of 16 bytes.
/// pieces: for each block two tiles of sums, that of a tile begun by others and that of one that others end.
template <class T, bool whole, bool dealt>
static __global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    gemm_shares(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                int first_tile, int strides, int each, float4 *pieces) {
  constexpr int BM = T::BM, BN = T::BN, QM = T::QM, QN = T::QN, THREADS = T::THREADS, LDA = T::LDA;
  constexpr int STAGES = T::STAGES, FETCH = whole ? T::FETCH : 0;  // single numbers need the whole stride
  extern __shared__ float4 memory[];
  float *a_tiles = reinterpret_cast<float *>(memory), *b_tiles = a_tiles + STAGES * BK * LDA;

  const int per_tile = ceil_div(K, BK), thread = threadIdx.x;
  const int row = T::place(thread).x, col = T::place(thread).y;
  int at = dealt ? blockIdx.x * each : 0;
  const int end = dealt ? min(strides, at + each) : 1;
  do {
    const int tile = dealt ? first_tile + at / per_tile : blockIdx.x, first = dealt ? at % per_tile : 0;
    const int last = dealt ? min(per_tile, first + end - at) : per_tile;
    const int row0 = T::corner(tile, M, N).x, col0 = T::corner(tile, M, N).y;
    const int k_begin = first * BK, k_end = min(K, last * BK);

    // Who copies what. A by single numbers, since it is turned on the way: lanes run along K, a sector each. B
    // by 16 bytes where its rows allow it. Places are 32-bit offsets from the tile, which moves along K by
    // itself.
    constexpr int A_ROWS = THREADS / BK, A_COPIES = BM / A_ROWS;
    constexpr int WIDE = whole ? 4 : 1, B_LANES = BN / WIDE;
    constexpr int B_ROWS = THREADS >= B_LANES ? THREADS / B_LANES : 1, B_COPIES = BK / B_ROWS;
    constexpr int B_JUMP = THREADS * WIDE, B_ACROSS = THREADS >= B_LANES ? 1 : BN / B_JUMP;
    const int a_k = thread % BK, a_row = thread / BK;
    const int b_col = thread % B_LANES * WIDE, b_k = THREADS >= B_LANES ? thread / B_LANES : 0;
    std::uint32_t a_offset[A_COPIES], b_offset[B_COPIES];
    for (int i = 0; i < A_COPIES; ++i)
      a_offset[i] = (std::uint32_t(min(a_row + i * A_ROWS, M - 1 - row0)) * K + a_k) * 4;
    for (int i = 0; i < B_COPIES; ++i) b_offset[i] = (std::uint32_t(b_k + i * B_ROWS) * N + b_col) * 4;
    const char *a_from = reinterpret_cast<const char *>(A + std::int64_t{row0} * K + k_begin);
    const char *b_from = reinterpret_cast<const char *>(B + std::int64_t{k_begin} * N + col0);
    const auto a_to = std::uint32_t(__cvta_generic_to_shared(a_tiles)) + (a_k * LDA + a_row) * 4;
    const auto b_to = std::uint32_t(__cvta_generic_to_shared(b_tiles)) + (b_k * BN + b_col) * 4;
    const bool inside = row0 + BM <= M && col0 + BN <= N;

    int next = k_begin;  // where along K the next stride to be copied begins
    const auto fetch = [&](int stage) {
      const std::uint32_t a = a_to + stage * (BK * LDA * 4), b = b_to + stage * (BK * BN * 4);
      if (inside && next + BK <= k_end) {  // nearly always: nothing to test
        for (int i = 0; i < A_COPIES; ++i) copy4(a + i * A_ROWS * 4, a_from + a_offset[i]);
        for (int i = 0; i < B_COPIES; ++i)
          for (int j = 0; j < B_ACROSS; ++j) {
            const std::uint32_t to = b + (i * B_ROWS * BN + j * B_JUMP) * 4;
            whole ? copy16(to, b_from + b_offset[i] + j * B_JUMP * 4)
                  : copy4(to, b_from + b_offset[i] + j * B_JUMP * 4);
          }
      } else {
        const bool a_inside = next + a_k < k_end;
        for (int i = 0; i < A_COPIES; ++i)
          copy4(a + i * A_ROWS * 4, a_inside ? a_from + a_offset[i] : reinterpret_cast<const char *>(A),
                a_inside);
        for (int i = 0; i < B_COPIES; ++i)
          for (int j = 0; j < B_ACROSS; ++j) {
            const bool b_inside = next + b_k + i * B_ROWS < k_end && col0 + b_col + j * B_JUMP < N;
            const char *from =
                b_inside ? b_from + b_offset[i] + j * B_JUMP * 4 : reinterpret_cast<const char *>(B);
            const std::uint32_t to = b + (i * B_ROWS * BN + j * B_JUMP) * 4;
            whole ? copy16(to, from, b_inside) : copy4(to, from, b_inside);
          }
      }
      end_group();
      a_from += BK * 4;
      b_from += std::int64_t{BK} * 4 * N;
      next += BK;
    };

    // The numbers for one k, twice: those in use, and those that are on their way from shared memory.
    float4 a[2][QM], b[2][QN];
    const auto load = [&](int to, int stage, int k) {
      const float *from_a = a_tiles + (stage * BK + k) * LDA + row,
                  *from_b = b_tiles + (stage * BK + k) * BN + col;
      for (int q = 0; q < QM; ++q) a[to][q] = *reinterpret_cast<const float4 *>(from_a + q * QUAD_ROWS);
      for (int q = 0; q < QN; ++q) b[to][q] = *reinterpret_cast<const float4 *>(from_b + q * QUAD_COLS);
    };

    for (int s = 0; s < STAGES - 1; ++s) fetch(s);
    int reading = 0, writing = STAGES - 1;
    wait_for_groups<STAGES - 2>();
    __syncthreads();
    load(0, 0, 0);

    float sum[4 * QM][4 * QN] = {};
    for (int k0 = k_begin; k0 < k_end; k0 += BK) {
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        if (k == BK - 1) {  // the next stride: it has arrived, and nobody reads the last one any more
          reading = reading + 1 == STAGES ? 0 : reading + 1;
          wait_for_groups<STAGES - 2>();
          __syncthreads();
        }
        load((k + 1) % 2, reading, (k + 1) % BK);
        if (k == FETCH) {
          fetch(writing);
          writing = writing + 1 == STAGES ? 0 : writing + 1;
        }
        for (int i = 0; i < 4 * QM; ++i)
          for (int step = 0; step < 4 * QN; ++step) {
            const int j = i % 2 == 0 ? step : 4 * QN - 1 - step;
            sum[i][j] += (&a[k % 2][i / 4].x)[i % 4] * (&b[k % 2][j / 4].x)[j % 4];
          }
      }
    }
    wait_for_groups<0>();
    __syncthreads();  // the next tile may use the stages

    const bool all = !dealt || last - first == per_tile;
    float4 *piece = pieces + (2 * std::int64_t{blockIdx.x} + (first == 0)) * (BM * BN / 4);
#pragma unroll
    for (int i = 0; i < 4 * QM; ++i)
      for (int q = 0; q < QN; ++q) {
        const float *s = &sum[i][4 * q];
        const float4 made = make_float4(alpha * s[0], alpha * s[1], alpha * s[2], alpha * s[3]);
        const int r = row0 + row + i / 4 * QUAD_ROWS + i % 4, c = col0 + col + q * QUAD_COLS;
        if (!all)
          piece[(i * QN + q) * THREADS + thread] = made;
        else if (r < M && c < N)
          finish<whole>(made, beta, C + std::int64_t{r} * N + c, N - c);
      }
    at += last - first;
  } while (dealt && at < end);
}

/// Adds up the pieces of each tile that is cut. A block takes one row of each thread's sums.
template <bool whole, class T>
static __global__ void __launch_bounds__(T::THREADS)
    add_pieces(int M, int N, int K, float beta, float *C, int first_tile, int each, const float4 *pieces) {
  const int per_tile = ceil_div(K, BK), begin = blockIdx.x * per_tile;
  const int from = begin / each, to = (begin + per_tile - 1) / each;  // the blocks that have worked on it
  if (from == to) return;
  const int2 tile = T::corner(first_tile + blockIdx.x, M, N), own = T::place(threadIdx.x);
  const int i = blockIdx.y, r = tile.x + own.x + i / 4 * QUAD_ROWS + i % 4;
  for (int q = 0; q < T::QN; ++q) {
    const int c = tile.y + own.y + q * QUAD_COLS;
    if (r >= M || c >= N) continue;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int block = from; block <= to; ++block) {
      const std::int64_t piece = 2 * std::int64_t{block} + (block == from);
      const float4 more = pieces[piece * (T::BM * T::BN / 4) + (i * T::QN + q) * T::THREADS + threadIdx.x];
      sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
    }
    finish<whole>(sum, beta, C + std::int64_t{r} * N + c, N - c);
  }
}

template <bool whole>
static void launch(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int places = Large::BLOCKS * processors, per_tile = ceil_div(K, BK);
  const int tiles = ceil_div(M, Large::BM) * ceil_div(N, Large::BN), rest = tiles % places;

  // Cycles of the slowest multiprocessor, as measured on an H200. Two blocks with large tiles take 2620 for a
  // stride, one takes 1640, and writing and reading pieces costs as much as 12 strides.
  const int each = max(LEAST, ceil_div(rest * per_tile, places));
  const double last = rest == 0 ? 0 : per_tile * (rest > processors ? 2620.0 : 1640.0);
  const double shared = rest == 0 ? 0 : (each + 12) * 2620.0;
  const double large = tiles / places * per_tile * 2620.0 + min(last, shared);
  const int small_tiles = ceil_div(M, Small::BM) * ceil_div(N, Small::BN);
  const int on_one = ceil_div(small_tiles, processors);
  const double small = per_tile * (300.0 * ceil_div(on_one, Small::BLOCKS) + 195.0 * on_one);
  if (small < large) {
    gemm_shares<Small, whole, false><<<small_tiles, Small::THREADS, Small::SHARED_BYTES>>>(
        M, N, K, alpha, A, B, beta, C, 0, 0, 0, nullptr);
    return;
  }

  const bool deal = shared < last;
  if (const int rounds = tiles - (deal ? rest : 0); rounds > 0)
    gemm_shares<Large, whole, false>
        <<<rounds, Large::THREADS, Large::SHARED_BYTES>>>(M, N, K, alpha, A, B, beta, C, 0, 0, 0, nullptr);
  if (!deal) return;
  const int strides = rest * per_tile, blocks = ceil_div(strides, each);
  float4 *pieces = nullptr;
  cudaMalloc(&pieces, std::int64_t{2} * blocks * Large::BM * Large::BN * 4);
  gemm_shares<Large, whole, true><<<blocks, Large::THREADS, Large::SHARED_BYTES>>>(
      M, N, K, alpha, A, B, beta, C, tiles - rest, strides, each, pieces);
  add_pieces<whole, Large>
      <<<dim3(rest, 4 * Large::QM), Large::THREADS>>>(M, N, K, beta, C, tiles - rest, each, pieces);
  cudaFree(pieces);
}

void beyond7(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  N % 4 == 0 ? launch<true>(M, N, K, alpha, A, B, beta, C) : launch<false>(M, N, K, alpha, A, B, beta, C);
}
