// Step 2, shared memory: a block computes one 32 x 32 tile of C and walks along K in strides of 32.
//
// In each stride the block copies a 32 x 32 tile of A and one of B to shared memory; every number that it
// loaded is then used by 32 threads. Global memory is read 32 times less often than in step 1.
#include "gemm.h"

constexpr int TILE = 32;
static_assert(TILE * TILE <= 1024, "a block has at most 1024 threads");

__global__ void gemm_shared(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                            float *C) {
  // TODO(1): for each stride along K: let each thread copy one element of A and one of B to shared memory,
  // wait for the block, add TILE products to the thread's sum, wait again. What lies outside A or B must
  // count as zero.
  // BEGIN SOLUTION
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];

  // Tiles of C are numbered row by row along x, because a grid may have 2^31 - 1 blocks along x but 65535
  // along y.
  const int tiles_across = ceil_div(N, TILE);
  const std::int64_t row = std::int64_t{blockIdx.x / tiles_across} * TILE + threadIdx.y;
  const std::int64_t col = std::int64_t{blockIdx.x % tiles_across} * TILE + threadIdx.x;

  float sum = 0.0f;
  for (std::int64_t k0 = 0; k0 < K; k0 += TILE) {
    const std::int64_t a_col = k0 + threadIdx.x, b_row = k0 + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] = b_row < K && col < N ? B[b_row * N + col] : 0.0f;
    __syncthreads();  // nobody reads the tiles before they are complete

    for (int k = 0; k < TILE; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();  // nobody overwrites the tiles before all have read them
  }

  // Threads outside C stayed until here, since all of a block must reach every barrier.
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
  // END SOLUTION
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_shared with one block of TILE x TILE threads per tile of C.
  // BEGIN SOLUTION
  const int tiles = ceil_div(M, TILE) * ceil_div(N, TILE);
  gemm_shared<<<tiles, dim3(TILE, TILE)>>>(M, N, K, alpha, A, B, beta, C);
  // END SOLUTION
}
