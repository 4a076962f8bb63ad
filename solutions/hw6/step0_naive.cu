// Step 0, naive: one thread computes one element of C, and threadIdx.x counts rows.
//
// The 32 threads of a warp then work on 32 rows of one column. Each of their loads of A touches 32 places
// that are K floats apart, and so does each store to C. This is slow on purpose; step 1 repairs it.
#include "gemm.h"

__global__ void gemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                           float *C) {
  // TODO(1): compute the row from the x coordinates of block and thread, the column from their y coordinates,
  // and this one element of C. The last blocks extend past the edges of C: threads outside C must not access
  // memory.
  // BEGIN SOLUTION
  const std::int64_t row =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;  // 64 bits: row * K may be large
  const std::int64_t first_col = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  if (row >= M) return;

  // One turn, but for matrices so wide that 65535 blocks, all that a grid may have along y, do not cover
  // them.
  for (std::int64_t col = first_col; col < N; col += gridDim.y * blockDim.y) {
    float sum = 0.0f;
    for (std::int64_t k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
  // END SOLUTION
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_naive with blocks of 32 x 8 threads and as many blocks as it takes to cover C.
  // BEGIN SOLUTION
  const int blocks_across = ceil_div(N, 8);
  const dim3 grid(ceil_div(M, 32), blocks_across < 65535 ? blocks_across : 65535);
  gemm_naive<<<grid, dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C);
  // END SOLUTION
}
