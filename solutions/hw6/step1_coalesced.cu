// Step 1, coalesced: as step 0, but threadIdx.x counts columns. No shared memory yet.
//
// The threads of a warp now read 32 neighbours of B and write 32 neighbours of C, which the hardware joins
// into a few wide transactions. All of them read the same element of A, which costs one transaction for the
// whole warp.
#include "gemm.h"

__global__ void gemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                               float *C) {
  // TODO(1): write the kernel of step 0 again, with row and column assigned such that a warp lies along a row
  // of C.
  // BEGIN SOLUTION
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  if (col >= N) return;

  // One turn, but for matrices so tall that 65535 blocks, all that a grid may have along y, do not cover
  // them.
  for (std::int64_t row = first_row; row < M; row += gridDim.y * blockDim.y) {
    float sum = 0.0f;
    for (std::int64_t k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
  // END SOLUTION
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_coalesced. Which extent of C must the x extent of the grid cover now?
  // BEGIN SOLUTION
  // A quarter of the threads of step 0's blocks: blocks that end sooner make room for others sooner.
  const int blocks_down = ceil_div(M, 8);
  const dim3 grid(ceil_div(N, 32), blocks_down < 65535 ? blocks_down : 65535);
  gemm_coalesced<<<grid, dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C);
  // END SOLUTION
}
