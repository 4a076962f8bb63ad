// Beyond 6, turning at the end of a row: beyond 5 with fewer reads of registers.
//
// A multiply-add reads three registers, but only two can be read in a cycle, one with an even number and one
// with an odd number. An operand that the multiply-add before had too is kept and need not be read. Along a
// row of sums, that is the number of A. Beyond 5 begins each row at its left end, where the numbers of A, of B
// and the sum are all new: three reads. Here every second row runs backwards, so the number of B stays the
// same at the turn. Copies begin in the middle of a stride, when fewer registers are in use, and a fifth stage
// gives them the time that they lose.
#include "gemm.h"

constexpr int BM = 128, BN = 128, BK = 8, STAGES = 5;
constexpr int QM = 4, QN = 2;                  // quads of 4 x 4 elements that one thread computes
constexpr int QUAD_ROWS = 16, QUAD_COLS = 32;  // from one quad of a thread to its next
constexpr int WM = QM * QUAD_ROWS, WN = QN * QUAD_COLS;
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;  // 128
constexpr int LDA = BM + 4;                          // the copies of a warp then go to 32 different banks
constexpr int SHARED_BYTES = STAGES * BK * (LDA + BN) * 4;

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

/// whole: N is a multiple of 4, so that rows of B and C begin at multiples of 16 bytes.
template <bool whole>
static __global__ void __launch_bounds__(THREADS, 2)
    gemm_turns(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  extern __shared__ float4 memory[];
  float *a_tiles = reinterpret_cast<float *>(memory), *b_tiles = a_tiles + STAGES * BK * LDA;

  const int tiles_across = ceil_div(N, BN), tiles_down = ceil_div(M, BM);
  // Blocks that run at the same time work on 8 rows of tiles: what they read stays in the L2 cache for the
  // others.
  const int band = blockIdx.x / (8 * tiles_across), in_band = blockIdx.x % (8 * tiles_across);
  const int height = min(8, tiles_down - 8 * band);
  const int row0 = (8 * band + in_band % height) * BM, col0 = in_band / height * BN;
  constexpr int FETCH = whole ? 4 : 0;  // the k at which copies begin; single numbers need the whole stride
  const int k_begin = 0, k_end = K;

  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int lane_col = (lane & 1) | (lane >> 3 & 3) << 1, lane_row = lane >> 1 & 3;  // see beyond 3
  const int row = warp % (BM / WM) * WM + lane_row * 4, col = warp / (BM / WM) * WN + lane_col * 4;

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

  float *out = C;
#pragma unroll
  for (int i = 0; i < 4 * QM; ++i)
    for (int q = 0; q < QN; ++q) {
      const int r = row0 + row + i / 4 * QUAD_ROWS + i % 4, c = col0 + col + q * QUAD_COLS;
      if (r >= M || c >= N) continue;
      float *at = out + std::int64_t{r} * N + c;
      const float *s = &sum[i][4 * q];
      if (whole) {
        float4 made = make_float4(alpha * s[0], alpha * s[1], alpha * s[2], alpha * s[3]);
        if (beta != 0.0f) {
          const float4 old = *reinterpret_cast<const float4 *>(at);
          made = make_float4(made.x + beta * old.x, made.y + beta * old.y, made.z + beta * old.z,
                             made.w + beta * old.w);
        }
        *reinterpret_cast<float4 *>(at) = made;
      } else {
        for (int j = 0; j < 4; ++j)
          if (c + j < N) at[j] = alpha * s[j] + (beta != 0.0f ? beta * at[j] : 0.0f);
      }
    }
}

template <bool whole>
static void launch(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int tiles = ceil_div(M, BM) * ceil_div(N, BN);
  gemm_turns<whole><<<tiles, THREADS, SHARED_BYTES>>>(M, N, K, alpha, A, B, beta, C);
}

void beyond6(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  N % 4 == 0 ? launch<true>(M, N, K, alpha, A, B, beta, C) : launch<false>(M, N, K, alpha, A, B, beta, C);
}
