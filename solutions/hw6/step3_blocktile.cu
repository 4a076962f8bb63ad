// Step 3, 2D blocktiling: a block computes 128 x 128 elements of C, each of its 256 threads 8 x 8 of them.
//
// In step 2 a thread reads two numbers from shared memory for each product that it adds. Here it reads 8 + 8
// numbers into registers and computes 64 products from them: arithmetic becomes the limit, not memory.
#include "gemm.h"

constexpr int BM = 128, BN = 128, BK = 8;       // the block's tile of C, and its stride along K
constexpr int TM = 8, TN = 8;                   // the elements of C that one thread computes
constexpr int THREADS_X = BN / TN;              // threads side by side in the block: 16
constexpr int THREADS = THREADS_X * (BM / TM);  // of the whole block: 256
static_assert(BM * BK % THREADS == 0 && BN * BK % THREADS == 0, "threads share the copying evenly");

__global__ void __launch_bounds__(THREADS)
    gemm_blocktile(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(1): copy a BM x BK tile of A and a BK x BN tile of B to shared memory with all threads; then let
  // each thread go through the BK columns and rows of the tiles, fetch TM numbers of A and TN of B, and add
  // all TM x TN products to sums that it keeps in registers. Which elements should a thread take for its
  // loads to be free of conflicts?
  // BEGIN SOLUTION
  // A is stored transposed, so that a thread's rows are neighbours; 4 more columns keep the stores of a warp
  // in different banks.
  __shared__ float a_tile[BK][BM + 4];
  __shared__ float b_tile[BK][BN];

  const int tiles_across = ceil_div(N, BN);  // tiles are numbered row by row: see step 2
  const std::int64_t row0 = std::int64_t{blockIdx.x / tiles_across} * BM;
  const std::int64_t col0 = std::int64_t{blockIdx.x % tiles_across} * BN;

  // Who computes: TM rows from `row` on, and TN columns that are THREADS_X apart, so that the threads of a
  // warp read neighbours in b_tile, each from a bank of its own.
  const int row = threadIdx.x / THREADS_X * TM;
  const int col = threadIdx.x % THREADS_X;

  // Who copies: four elements of each tile. A row or column past the edge of the matrix is replaced by the
  // last one: it may be read, and what comes of it is never stored. So the loads below need no test.
  constexpr int A_ROWS = THREADS / BK, B_ROWS = THREADS / BN;  // rows of the tiles that are copied at a time
  const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK;
  const int b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
  const float *a_from[BM / A_ROWS];
  for (int i = 0; i < BM / A_ROWS; ++i)
    a_from[i] = A + min(row0 + a_row + i * A_ROWS, std::int64_t{M - 1}) * K + a_col;
  const float *b_from = B + b_row * std::int64_t{N} + min(col0 + b_col, std::int64_t{N - 1});

  float sum[TM][TN] = {};
  for (std::int64_t left = K; left > 0; left -= BK) {  // what is left of K
    if (left >= BK) {
      for (int i = 0; i < BM / A_ROWS; ++i) a_tile[a_col][a_row + i * A_ROWS] = *a_from[i];
      for (int i = 0; i < BK / B_ROWS; ++i)
        b_tile[b_row + i * B_ROWS][b_col] = b_from[i * B_ROWS * std::int64_t{N}];
    } else {  // the last, narrower stride: products past K must be zero
      for (int i = 0; i < BM / A_ROWS; ++i)
        a_tile[a_col][a_row + i * A_ROWS] = a_col < left ? *a_from[i] : 0.0f;
      for (int i = 0; i < BK / B_ROWS; ++i)
        b_tile[b_row + i * B_ROWS][b_col] =
            b_row + i * B_ROWS < left ? b_from[i * B_ROWS * std::int64_t{N}] : 0.0f;
    }
    __syncthreads();  // nobody reads the tiles before they are complete

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int i = 0; i < TM; ++i) a[i] = a_tile[k][row + i];
      for (int j = 0; j < TN; ++j) b[j] = b_tile[k][col + j * THREADS_X];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();  // nobody overwrites the tiles before all have read them

    for (int i = 0; i < BM / A_ROWS; ++i) a_from[i] += BK;
    b_from += BK * std::int64_t{N};
  }

  // What C held counts only where beta is not zero. All of it is read before any is overwritten, so that the
  // reads are under way together.
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
  // END SOLUTION
}

void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_blocktile with THREADS threads per block and one block per tile of C.
  // BEGIN SOLUTION
  const int tiles = ceil_div(M, BM) * ceil_div(N, BN);
  gemm_blocktile<<<tiles, THREADS>>>(M, N, K, alpha, A, B, beta, C);
  // END SOLUTION
}
