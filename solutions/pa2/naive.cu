// The product to compare with: each thread computes one element of C, and reads a row of A and a column of B
// from global memory.
#include "pa2.h"

__global__ void naive_product(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                              float *C) {
  // TODO(1): compute the element in your row and column, if it exists.
  // BEGIN SOLUTION
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[std::int64_t{row} * K + k] * B[std::int64_t{k} * N + col];
  float *to = C + std::int64_t{row} * N + col;
  *to = beta == 0.0f ? alpha * sum : alpha * sum + beta * *to;
  // END SOLUTION
}

void naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch it with blocks of 16 x 16 threads.
  // BEGIN SOLUTION
  const dim3 block(16, 16);
  naive_product<<<dim3(ceil_div(N, block.x), ceil_div(M, block.y)), block>>>(M, N, K, alpha, A, B, beta, C);
  // END SOLUTION
}
