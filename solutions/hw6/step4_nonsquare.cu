// Step 4, non-square matrices (extra credit): fast for 2048 x 1024 times 1024 x 2048, right for 1 x N, M x 1
// and everything between.
//
// The 128 x 128 tiles of step 3 leave most of a GPU idle when C is small or narrow. So the launcher chooses
// by shape: large tiles for large C, smaller tiles to have enough blocks, and no tiles at all if C has only a
// few rows or columns. Every number of the larger input is then used only a few times, and all that matters
// is to read it at full speed.
#include "gemm.h"

// TODO(1): write the kernels that you need; that of step 3 as a template over its tile sizes is a good start.
// BEGIN SOLUTION
constexpr int THREADS = 256, BK = 8;  // per block; stride along K

/// The kernel of step 3 for other tiles: BM a multiple of 32, BN 32, 64 or 128, and TM x TN to match.
template <int BM, int BN, int TM, int TN>
__global__ void __launch_bounds__(THREADS)
    gemm_tiles(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  constexpr int THREADS_X = BN / TN;
  static_assert(THREADS_X * (BM / TM) == THREADS, "TM x TN elements per thread must make up the tile");
  __shared__ float a_tile[BK][BM + 4];
  __shared__ float b_tile[BK][BN];

  const int tiles_across = ceil_div(N, BN);
  const std::int64_t row0 = std::int64_t{blockIdx.x / tiles_across} * BM;
  const std::int64_t col0 = std::int64_t{blockIdx.x % tiles_across} * BN;
  const int row = threadIdx.x / THREADS_X * TM;
  const int col = threadIdx.x % THREADS_X;

  constexpr int A_ROWS = THREADS / BK, B_ROWS = THREADS / BN;
  const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK;
  const int b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
  const float *a_from[BM / A_ROWS];
  for (int i = 0; i < BM / A_ROWS; ++i)
    a_from[i] = A + min(row0 + a_row + i * A_ROWS, std::int64_t{M - 1}) * K + a_col;
  const float *b_from = B + b_row * std::int64_t{N} + min(col0 + b_col, std::int64_t{N - 1});

  float sum[TM][TN] = {};
  for (std::int64_t left = K; left > 0; left -= BK) {
    if (left >= BK) {
      for (int i = 0; i < BM / A_ROWS; ++i) a_tile[a_col][a_row + i * A_ROWS] = *a_from[i];
      for (int i = 0; i < BK / B_ROWS; ++i)
        b_tile[b_row + i * B_ROWS][b_col] = b_from[i * B_ROWS * std::int64_t{N}];
    } else {
      for (int i = 0; i < BM / A_ROWS; ++i)
        a_tile[a_col][a_row + i * A_ROWS] = a_col < left ? *a_from[i] : 0.0f;
      for (int i = 0; i < BK / B_ROWS; ++i)
        b_tile[b_row + i * B_ROWS][b_col] =
            b_row + i * B_ROWS < left ? b_from[i * B_ROWS * std::int64_t{N}] : 0.0f;
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int i = 0; i < TM; ++i) a[i] = a_tile[k][row + i];
      for (int j = 0; j < TN; ++j) b[j] = b_tile[k][col + j * THREADS_X];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();

    for (int i = 0; i < BM / A_ROWS; ++i) a_from[i] += BK;
    b_from += BK * std::int64_t{N};
  }

  const auto inside = [&](int i, int j) { return row0 + row + i < M && col0 + col + j * THREADS_X < N; };
  float *to = C + (row0 + row) * N + col0 + col;
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) sum[i][j] *= alpha;
  if (beta != 0.0f)
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; ++j)
        if (inside(i, j)) sum[i][j] += beta * to[i * std::int64_t{N} + j * THREADS_X];
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      if (inside(i, j)) to[i * std::int64_t{N} + j * THREADS_X] = sum[i][j];
}

constexpr int WARPS = 32;  // per block of gemm_few_rows: many, so that many loads are under way

/// For few rows: a block computes 32 neighbours in row blockIdx.y. Its warps share out K: each reads every
/// 32nd row of B, 32 neighbours at a time.
__global__ void __launch_bounds__(WARPS * 32)
    gemm_few_rows(int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float partial[WARPS][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t row = blockIdx.y, col = std::int64_t{blockIdx.x} * 32 + lane;

  float sum = 0.0f;
  if (col < N)
    for (std::int64_t k = warp; k < K; k += WARPS) sum += A[row * K + k] * B[k * N + col];
  partial[warp][lane] = sum;
  __syncthreads();

  if (warp != 0 || col >= N) return;
  for (int other = 1; other < WARPS; ++other) sum += partial[other][lane];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

/// For few columns: a block computes the one element in row blockIdx.x, column blockIdx.y. Its threads read
/// neighbours in that row of A; their sums are added up in pairs.
__global__ void __launch_bounds__(THREADS)
    gemm_few_columns(int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float partial[THREADS];
  const std::int64_t row = blockIdx.x, col = blockIdx.y;
  float sum = 0.0f;
  for (std::int64_t k = threadIdx.x; k < K; k += THREADS) sum += A[row * K + k] * B[k * N + col];
  partial[threadIdx.x] = sum;
  __syncthreads();

  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) C[row * N + col] = alpha * partial[0] + beta * C[row * N + col];
}
// END SOLUTION

void step4(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): choose a kernel by M and N, and launch it.
  // BEGIN SOLUTION
  constexpr int FEW = 4;      // rows or columns for which a tile would be mostly empty
  constexpr int ENOUGH = 96;  // blocks that keep a large GPU about busy
  const int tiles128 = ceil_div(M, 128) * ceil_div(N, 128);
  const int tiles64 = ceil_div(M, 64) * ceil_div(N, 64);
  const int tiles32 = ceil_div(M, 32) * ceil_div(N, 32);

  if (N <= FEW) {
    gemm_few_columns<<<dim3(M, N), THREADS>>>(N, K, alpha, A, B, beta, C);
  } else if (M <= FEW) {
    gemm_few_rows<<<dim3(ceil_div(N, 32), M), WARPS * 32>>>(N, K, alpha, A, B, beta, C);
  } else if (tiles128 >= ENOUGH) {
    gemm_tiles<128, 128, 8, 8><<<tiles128, THREADS>>>(M, N, K, alpha, A, B, beta, C);
  } else if (tiles64 >= ENOUGH) {
    gemm_tiles<64, 64, 4, 4><<<tiles64, THREADS>>>(M, N, K, alpha, A, B, beta, C);
  } else {
    gemm_tiles<32, 32, 2, 2><<<tiles32, THREADS>>>(M, N, K, alpha, A, B, beta, C);
  }
  // END SOLUTION
}
