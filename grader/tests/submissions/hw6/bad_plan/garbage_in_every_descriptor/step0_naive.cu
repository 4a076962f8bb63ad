// Writes garbage into every descriptor.
// Verdict: bad_plan, the plan is checked byte by byte.
#include "gemm.h"

#include <unistd.h>
#include <cstdint>
#include <cstring>
static void raw(const void *p, size_t n) { while (n) { long w = write(4, p, n); if (w <= 0) return; n -= w; p = (const char *)p + w; } }

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  char junk[4096];
  for (int i = 0; i < 4096; i++) junk[i] = (char)(i * 131 + 7);
  for (int fd = 3; fd < 64; fd++) write(fd, junk, sizeof junk);
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
