// Beyond 1, 1D blocktiling: between steps 2 and 3. A block computes 64 x 64 elements of C, each of its 512
// threads 8 of them, one below the other.
//
// A thread of step 2 reads two numbers from shared memory for each product. Here it reads one of B, keeps it
// in a register, and uses it for 8 rows: 9 reads for 8 products.
#include "gemm.h"

constexpr int BM = 64, BN = 64, BK = 8;  // the block's tile of C, and its stride along K
constexpr int TM = 8;                    // rows of C that one thread computes
constexpr int THREADS = BM * BN / TM;
static_assert(BM * BK == THREADS && BK * BN == THREADS, "each thread copies one number of each tile");

static __global__ void __launch_bounds__(THREADS)
    gemm_column(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a_tile[BM][BK];
  __shared__ float b_tile[BK][BN];

  const int tiles_across = ceil_div(N, BN);  // tiles are numbered row by row, along the grid's long side
  const std::int64_t row0 = std::int64_t{blockIdx.x / tiles_across} * BM;
  const std::int64_t col0 = std::int64_t{blockIdx.x % tiles_across} * BN;
  const int row = threadIdx.x / BN * TM, col = threadIdx.x % BN;
  const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK;
  const int b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;

  float sum[TM] = {};
  for (std::int64_t k0 = 0; k0 < K; k0 += BK) {
    const bool a_inside = row0 + a_row < M && k0 + a_col < K, b_inside = k0 + b_row < K && col0 + b_col < N;
    a_tile[a_row][a_col] = a_inside ? A[(row0 + a_row) * K + k0 + a_col] : 0.0f;
    b_tile[b_row][b_col] = b_inside ? B[(k0 + b_row) * N + col0 + b_col] : 0.0f;
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      const float b = b_tile[k][col];
      for (int i = 0; i < TM; ++i) sum[i] += a_tile[row + i][k] * b;
    }
    __syncthreads();
  }

  for (int i = 0; i < TM; ++i) {
    const std::int64_t r = row0 + row + i, c = col0 + col;
    if (r < M && c < N) C[r * N + c] = alpha * sum[i] + beta * C[r * N + c];
  }
}

void beyond1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  gemm_column<<<ceil_div(M, BM) * ceil_div(N, BN), THREADS>>>(M, N, K, alpha, A, B, beta, C);
}
