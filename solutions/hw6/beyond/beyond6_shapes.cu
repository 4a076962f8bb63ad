// Beyond 6, a tile for every shape: the kernel of beyond 5 with a choice of tiles, and K in parts where C has
// too few tiles to keep the GPU busy.
//
// Between one and two blocks for each place on the GPU, half of it idles in the second round. So each choice
// of tile and parts is given a cost, rounds times the work of a block, and the cheapest is taken. Parts of a
// sum are added up by a second kernel. A row or column of tiles that is nearly empty (2049 = 16 x 128 + 1) is
// left to a third kernel, in which a warp computes one element.
#include "gemm.h"

/// A block's tile BM x BN with strides of BK, and LANE_ROWS x LANE_COLS lanes that have QM x QN quads each.
template <int bm, int bn, int bk, int lane_rows, int lane_cols, int qm, int qn, int stages, int blocks>
struct Tile {
  static constexpr int BM = bm, BN = bn, BK = bk, STAGES = stages, BLOCKS = blocks;  // BLOCKS: on one SM
  static constexpr int LANE_ROWS = lane_rows, QM = qm, QN = qn;
  static constexpr int QUAD_ROWS = 4 * lane_rows, QUAD_COLS = 4 * lane_cols;
  static constexpr int WM = QM * QUAD_ROWS, WN = QN * QUAD_COLS;
  static constexpr int THREADS = (BM / WM) * (BN / WN) * 32;
  static constexpr int LDA = BM + 4;
  static constexpr int SHARED_BYTES = STAGES * BK * (LDA + BN) * 4;
  static constexpr double EFFICIENCY = lane_rows == 4 ? 1.0 : 0.97;  // as measured, of the faster one
};
using Square = Tile<128, 128, 8, 4, 8, 4, 2, 4, 2>;  // least wasted at edges; best where rows are not aligned
using Shallow = Tile<128, 128, 16, 8, 4, 2, 2, 3, 2>;  // twice the warps: best when K is small

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

/// The parts of K are along the grid's y. Several of them write alpha times their sums to `parts`, one behind
/// the other; a single one writes C.
template <class T, bool whole, bool parted>
static __global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    gemm_shapes(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                int row_length, int k_each, float *parts) {
  extern __shared__ float4 memory[];
  float *a_tiles = reinterpret_cast<float *>(memory), *b_tiles = a_tiles + T::STAGES * T::BK * T::LDA;

  const int tiles_across = ceil_div(N, T::BN), tiles_down = ceil_div(M, T::BM);
  // Blocks that run at the same time work on 8 rows of tiles: what they read stays in the L2 cache for the
  // others.
  const int band = blockIdx.x / (8 * tiles_across), in_band = blockIdx.x % (8 * tiles_across);
  const int height = min(8, tiles_down - 8 * band);
  const int row0 = (8 * band + in_band % height) * T::BM, col0 = in_band / height * T::BN;
  const int k_begin = parted ? blockIdx.y * k_each : 0, k_end = parted ? min(K, k_begin + k_each) : K;

  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  // See beyond 3: bit 0 of the lane counts columns, bit 1 rows.
  const int lane_row = T::LANE_ROWS == 4 ? lane >> 1 & 3 : lane >> 1 & 7;
  const int lane_col = (lane & 1) | (T::LANE_ROWS == 4 ? (lane >> 3 & 3) << 1 : (lane >> 4 & 1) << 1);
  const int row = warp % (T::BM / T::WM) * T::WM + lane_row * 4,
            col = warp / (T::BM / T::WM) * T::WN + lane_col * 4;

  // Who copies what. A by single numbers, since it is turned on the way: lanes run along K, a sector each. B
  // by 16 bytes where its rows allow it. Places are 32-bit offsets from the tile, which moves along K by
  // itself.
  constexpr int A_ROWS = T::THREADS / T::BK, A_COPIES = T::BM / A_ROWS;
  constexpr int WIDE = whole ? 4 : 1, B_LANES = T::BN / WIDE;
  constexpr int B_ROWS = T::THREADS >= B_LANES ? T::THREADS / B_LANES : 1, B_COPIES = T::BK / B_ROWS;
  constexpr int B_JUMP = T::THREADS * WIDE, B_ACROSS = T::THREADS >= B_LANES ? 1 : T::BN / B_JUMP;
  const int a_k = thread % T::BK, a_row = thread / T::BK;
  const int b_col = thread % B_LANES * WIDE, b_k = T::THREADS >= B_LANES ? thread / B_LANES : 0;
  std::uint32_t a_offset[A_COPIES], b_offset[B_COPIES];
  for (int i = 0; i < A_COPIES; ++i)
    a_offset[i] = (std::uint32_t(min(a_row + i * A_ROWS, M - 1 - row0)) * K + a_k) * 4;
  for (int i = 0; i < B_COPIES; ++i) b_offset[i] = (std::uint32_t(b_k + i * B_ROWS) * row_length + b_col) * 4;
  const char *a_from = reinterpret_cast<const char *>(A + std::int64_t{row0} * K + k_begin);
  const char *b_from = reinterpret_cast<const char *>(B + std::int64_t{k_begin} * row_length + col0);
  const auto a_to = std::uint32_t(__cvta_generic_to_shared(a_tiles)) + (a_k * T::LDA + a_row) * 4;
  const auto b_to = std::uint32_t(__cvta_generic_to_shared(b_tiles)) + (b_k * T::BN + b_col) * 4;
  const bool inside = row0 + T::BM <= M && col0 + T::BN <= N;

  int next = k_begin;  // where along K the next stride to be copied begins
  const auto fetch = [&](int stage) {
    const std::uint32_t a = a_to + stage * (T::BK * T::LDA * 4), b = b_to + stage * (T::BK * T::BN * 4);
    if (inside && next + T::BK <= k_end) {  // nearly always: nothing to test
      for (int i = 0; i < A_COPIES; ++i) copy4(a + i * A_ROWS * 4, a_from + a_offset[i]);
      for (int i = 0; i < B_COPIES; ++i)
        for (int j = 0; j < B_ACROSS; ++j) {
          const std::uint32_t to = b + (i * B_ROWS * T::BN + j * B_JUMP) * 4;
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
          const std::uint32_t to = b + (i * B_ROWS * T::BN + j * B_JUMP) * 4;
          whole ? copy16(to, from, b_inside) : copy4(to, from, b_inside);
        }
    }
    end_group();
    a_from += T::BK * 4;
    b_from += std::int64_t{T::BK} * 4 * row_length;
    next += T::BK;
  };

  // The numbers for one k, twice: those in use, and those that are on their way from shared memory.
  float4 a[2][T::QM], b[2][T::QN];
  const auto load = [&](int to, int stage, int k) {
    const float *from_a = a_tiles + (stage * T::BK + k) * T::LDA + row,
                *from_b = b_tiles + (stage * T::BK + k) * T::BN + col;
    for (int q = 0; q < T::QM; ++q) a[to][q] = *reinterpret_cast<const float4 *>(from_a + q * T::QUAD_ROWS);
    for (int q = 0; q < T::QN; ++q) b[to][q] = *reinterpret_cast<const float4 *>(from_b + q * T::QUAD_COLS);
  };

  for (int s = 0; s < T::STAGES - 1; ++s) fetch(s);
  int reading = 0, writing = T::STAGES - 1;
  wait_for_groups<T::STAGES - 2>();
  __syncthreads();
  load(0, 0, 0);

  float sum[4 * T::QM][4 * T::QN] = {};
  for (int k0 = k_begin; k0 < k_end; k0 += T::BK) {
#pragma unroll
    for (int k = 0; k < T::BK; ++k) {
      if (k == T::BK - 1) {  // the next stride: it has arrived, and nobody reads the last one any more
        reading = reading + 1 == T::STAGES ? 0 : reading + 1;
        wait_for_groups<T::STAGES - 2>();
        __syncthreads();
      }
      load((k + 1) % 2, reading, (k + 1) % T::BK);
      if (k == 0) {
        fetch(writing);
        writing = writing + 1 == T::STAGES ? 0 : writing + 1;
      }
      for (int i = 0; i < 4 * T::QM; ++i)
        for (int j = 0; j < 4 * T::QN; ++j)
          sum[i][j] += (&a[k % 2][i / 4].x)[i % 4] * (&b[k % 2][j / 4].x)[j % 4];
    }
  }
  wait_for_groups<0>();

  float *out = parted ? parts + blockIdx.y * std::int64_t{M} * N : C;
  const int out_length = parted ? N : row_length;
#pragma unroll
  for (int i = 0; i < 4 * T::QM; ++i)
    for (int q = 0; q < T::QN; ++q) {
      const int r = row0 + row + i / 4 * T::QUAD_ROWS + i % 4, c = col0 + col + q * T::QUAD_COLS;
      if (r >= M || c >= N) continue;
      float *at = out + std::int64_t{r} * out_length + c;
      const float *s = &sum[i][4 * q];
      if (whole) {
        float4 made = make_float4(alpha * s[0], alpha * s[1], alpha * s[2], alpha * s[3]);
        if (!parted && beta != 0.0f) {
          const float4 old = *reinterpret_cast<const float4 *>(at);
          made = make_float4(made.x + beta * old.x, made.y + beta * old.y, made.z + beta * old.z,
                             made.w + beta * old.w);
        }
        *reinterpret_cast<float4 *>(at) = made;
      } else {
        for (int j = 0; j < 4; ++j)
          if (c + j < N) at[j] = alpha * s[j] + (!parted && beta != 0.0f ? beta * at[j] : 0.0f);
      }
    }
}

/// The elements that gemm_shapes has left in parts: their sum, and beta times what C held.
static __global__ void add_parts(int M, int N, int row_length, int count, const float *parts, float beta,
                                 float *C) {
  const std::int64_t size = std::int64_t{M} * N, step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) {
    float sum = 0.0f;
    for (int p = 0; p < count; ++p) sum += parts[p * size + i];
    float &c = C[i / N * row_length + i % N];
    c = sum + (beta == 0.0f ? 0.0f : beta * c);
  }
}

/// The rows from M0 on and the columns from N0 on, without tiles. A block takes a row of A or a column of B
/// that belongs to a strip, and 128 of its elements in steps of 32: lanes lie along C's rows, warps share K.
static __global__ void __launch_bounds__(256)
    gemm_strip(int row0, int rows, int col0, int cols, int N, int K, float alpha, const float *A,
               const float *B, float beta, float *C) {
  __shared__ float sums[8][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int across = ceil_div(cols, 32);
  const int row = row0 + blockIdx.x / across, col = col0 + blockIdx.x % across * 32 + lane;
  float sum = 0.0f;
  if (col < N)
    for (int k = warp; k < K; k += 8) sum += A[std::int64_t{row} * K + k] * B[std::int64_t{k} * N + col];
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || col >= N || row >= row0 + rows) return;
  for (int w = 1; w < 8; ++w) sum += sums[w][lane];
  float &c = C[std::int64_t{row} * N + col];
  c = alpha * sum + (beta == 0.0f ? 0.0f : beta * c);
}

/// A narrow strip of columns: a warp goes along K for each row, in which A's numbers are neighbours.
static __global__ void __launch_bounds__(256)
    gemm_columns(int rows, int col0, int N, int K, float alpha, const float *A, const float *B, float beta,
                 float *C) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  for (int col = col0; col < N; ++col) {
    float sum = 0.0f;
    for (int k = lane; k < K; k += 32) sum += A[std::int64_t{row} * K + k] * B[std::int64_t{k} * N + col];
    for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, far);
    float &c = C[std::int64_t{row} * N + col];
    if (lane == 0) c = alpha * sum + (beta == 0.0f ? 0.0f : beta * c);
  }
}

/// What one launch of tiles T would cost, in multiply-adds of one SM: rounds of blocks, each with its share
/// of K and a start-up that is worth some strides; parts cost writing and reading them.
template <class T>
static double cost(int M, int N, int K, int parts, int processors) {
  const double blocks = double(ceil_div(M, T::BM)) * ceil_div(N, T::BN) * parts;
  const double places = double(processors) * T::BLOCKS;
  const double rounds = blocks <= places ? 1.0 : double((long long)((blocks + places - 1) / places));
  // A block that has an SM to itself does not take half of the time that two of them take: four warps leave
  // gaps.
  const double together =
      blocks < places ? (blocks <= processors && T::BLOCKS > 1 ? 1.25 : T::BLOCKS) : T::BLOCKS;
  const double start = T::THREADS > 128 ? 64.0 : 96.0;  // more warps fill their stages sooner
  const double tile = double(T::BM) * T::BN * (K / parts + start) * together * rounds / T::EFFICIENCY;
  const double moving = parts > 1 ? double(M) * N * (parts + 1.0) * 10.0 / processors : 0.0;
  return tile + moving;
}

struct Problem {
  int M, N, row_length, K;  // C is M x N of rows of row_length
  float alpha;
  const float *A, *B;
  float beta;
  float *C;
};

template <class T, bool whole, bool parted>
static void launch_tiles(const Problem &p, int parts) {
  const int tiles = ceil_div(p.M, T::BM) * ceil_div(p.N, T::BN);
  const int k_each = ceil_div(ceil_div(p.K, parts), T::BK) * T::BK;
  parts = ceil_div(p.K, k_each);
  const auto kernel = gemm_shapes<T, whole, parted>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES);
  float *space = nullptr;
  if (parted) cudaMalloc(&space, sizeof(float) * parts * p.M * p.N);
  kernel<<<dim3(tiles, parts), T::THREADS, T::SHARED_BYTES>>>(p.M, p.N, p.K, p.alpha, p.A, p.B, p.beta, p.C,
                                                              p.row_length, k_each, space);
  if (!parted) return;
  add_parts<<<1024, 256>>>(p.M, p.N, p.row_length, parts, space, p.beta, p.C);
  cudaFree(space);
}

template <bool whole>
static void launch(const Problem &p) {
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  int best = 1;
  double least = cost<Square>(p.M, p.N, p.K, 1, processors);
  if (whole && cost<Shallow>(p.M, p.N, p.K, 1, processors) < least)
    return launch_tiles<Shallow, true, false>(p, 1);
  for (int parts = 2; parts <= 8 && p.K / parts >= 64; ++parts)
    if (const double price = cost<Square>(p.M, p.N, p.K, parts, processors); price < least)
      least = price, best = parts;
  best == 1 ? launch_tiles<Square, whole, false>(p, 1) : launch_tiles<Square, whole, true>(p, best);
}

/// Whether the last `rest` of 128 are better left to a kernel without tiles.
static bool thin(int extent, int rest) {
  return extent >= 1024 && rest > 0 && rest <= 4;
}

void beyond6(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int m = thin(M, M % 128) ? M - M % 128 : M, n = thin(N, N % 128) ? N - N % 128 : N;
  const Problem tiles{m, n, N, K, alpha, A, B, beta, C};
  N % 4 == 0 ? launch<true>(tiles) : launch<false>(tiles);
  if (n < N) gemm_columns<<<ceil_div(m, 8), 256>>>(m, n, N, K, alpha, A, B, beta, C);
  if (m < M) gemm_strip<<<(M - m) * ceil_div(N, 32), 256>>>(m, M - m, 0, N, N, K, alpha, A, B, beta, C);
}
