// Passes the block first and the grid second, and loops over what its threads do not cover: right for all sizes below 1024,
// where the block has at most 1024 threads.
// Verdict: launch_error, without a GPU too, although no case that the simulator runs is so large.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < M; row += gridDim.x * blockDim.x)
    for (int col = blockIdx.y * blockDim.y + threadIdx.y; col < N; col += gridDim.y * blockDim.y) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
      C[row * N + col] = alpha * sum + beta * C[row * N + col];
    }
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 grid(32, 32), block(ceil_div(M, 32), ceil_div(N, 32));
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
