// Uses std::min, std::numeric_limits, isnan, std::move and std::abs, and fills a dim3 with ints in braces, all without a
// header of its own for them.
// Verdict: accepted with both compilers: the headers that CUDA itself includes bring these, and braces only warn.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = std::move(row), c = std::forward<int>(col);
  if (r >= M || c >= N || std::abs(r) < 0) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[r * K + k] * B[k * N + c];
  C[r * N + c] = alpha * sum + beta * C[r * N + c];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  if (isnan(alpha) || K == std::numeric_limits<int>::max()) return;
  const int across = std::min(32, std::max(N, 1)), down = std::min(8, M);
  const dim3 grid{(N + across - 1) / across, (M + down - 1) / down};
  multiply<<<grid, dim3(across, down)>>>(M, N, K, alpha, A, B, beta, C);
}
