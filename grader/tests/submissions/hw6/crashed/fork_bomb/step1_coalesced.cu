// Starts processes until it may not start another, then gives up. It does so only as one of the first
// processes of a PID namespace, so that a run outside a sandbox harms nobody.
// Verdict: crashed, the number of its processes is limited, and none is left behind.
#include "gemm.h"

#include <cstdlib>
#include <unistd.h>

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  if (getpid() < 32)
    for (int i = 0; i < 100000; i++) {
      const pid_t child = fork();
      if (child == 0)
        for (;;) pause();
      if (child < 0) std::abort();
    }
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
