// Step 2, shared memory: a block computes one 32 x 32 tile of C and walks along K in strides of 32.
//
// In each stride the block copies a 32 x 32 tile of A and one of B to shared memory; 32 threads then use each
// number that it loaded. Global memory is read 32 times less often than in step 1.
#include "gemm.h"

constexpr int TILE = 32;
static_assert(TILE * TILE <= 1024, "a block has at most 1024 threads");

__global__ void gemm_shared(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                            float *C) {
  // TODO(1): for each stride along K: let each thread copy one element of A and one of B to shared memory,
  // wait for the block, add TILE products to the thread's sum, wait again. Elements outside A or B must count
  // as zero.
  // BEGIN SOLUTION
  // Two of each: while some threads still read one, others fill the other. So one barrier a stride is enough.
  __shared__ float As[2][TILE][TILE];
  __shared__ float Bs[2][TILE][TILE];

  // Tiles of C are numbered row by row along x, because a grid may have 2^31 - 1 blocks along x but 65535
  // along y.
  const int tiles_across = ceil_div(N, TILE);
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t row = std::int64_t{blockIdx.x / tiles_across} * TILE + y;
  const std::int64_t col = std::int64_t{blockIdx.x % tiles_across} * TILE + x;

  // The two numbers that this thread copies next. A row or column past the edge is replaced by the last one:
  // it may be read, and what comes of it is never stored.
  const float *a_from = A + min(row, std::int64_t{M - 1}) * K + x;
  const float *b_from = B + std::int64_t{y} * N + min(col, std::int64_t{N - 1});

  float sum = 0.0f;
  int turn = 0;
  float a = x < K ? *a_from : 0.0f, b = y < K ? *b_from : 0.0f;
  for (int left = K; left > 0; left -= TILE) {  // what is left of K
    float(*a_tile)[TILE] = As[turn], (*b_tile)[TILE] = Bs[turn];
    a_tile[y][x] = a;
    b_tile[y][x] = b;
    __syncthreads();  // nobody reads the tiles before they are complete

    // The next two numbers travel during this stride's arithmetic.
    a_from += TILE;
    b_from += TILE * std::int64_t{N};
    a = x < left - TILE ? *a_from : 0.0f;
    b = y < left - TILE ? *b_from : 0.0f;

    for (int k = 0; k < TILE; ++k) sum += a_tile[y][k] * b_tile[k][x];
    turn = 1 - turn;
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
