// Does its work only where it was compiled for a newer GPU than the course asks for.
// Verdict: wrong_answer, the grader compiles for one virtual architecture, on every device.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    K = K - 1;
#endif
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
