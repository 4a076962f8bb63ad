// Step 1, coalesced: as step 0, but threadIdx.x counts columns. No shared memory yet.
//
// The threads of a warp now read 32 neighbouring elements of B and write 32 of C, which the hardware combines
// into a few wide transactions. All of them read the same element of A, which costs one transaction for the
// whole warp.
#include "gemm.h"

__global__ void gemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                               float *C) {
  // TODO(1): write the kernel of step 0 again, with rows and columns assigned so that a warp runs along a row
  // of C.
  // BEGIN SOLUTION
  const std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;

  // k is an int, since the compiler unrolls such a loop four times as far as one that counts in 64 bits: more
  // loads are under way at a time.
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[std::int64_t{k} * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
  // END SOLUTION
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_coalesced. Which dimension of C must the x dimension of the grid cover now?
  // BEGIN SOLUTION
  constexpr int ACROSS = 128, DOWN = 8;                  // threads of a block
  constexpr int MOST = 65535 * DOWN;                     // rows of a grid: it may have 65535 blocks along y
  for (std::int64_t done = 0; done < M; done += MOST) {  // one turn, but for very tall matrices
    const int rows = M - done < MOST ? M - done : MOST;
    const dim3 grid(ceil_div(N, ACROSS), ceil_div(rows, DOWN));
    gemm_coalesced<<<grid, dim3(ACROSS, DOWN)>>>(rows, N, K, alpha, A + done * K, B, beta, C + done * N);
  }
  // END SOLUTION
}
