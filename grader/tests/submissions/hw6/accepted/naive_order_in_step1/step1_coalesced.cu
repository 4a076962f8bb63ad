// Right, but no faster than step 0: the threads of a warp still work on 32 rows. It loses the points for coalescing.
#include "gemm.h"

__global__ void rows_along_x(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                             float *C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  rows_along_x<<<dim3((M + 31) / 32, (N + 31) / 32), dim3(32, 32)>>>(M, N, K, alpha, A, B, beta, C);
}
