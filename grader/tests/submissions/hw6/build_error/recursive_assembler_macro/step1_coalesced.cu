// A macro of the host's assembler that names itself twice, which is 2^100 lines at the depth that it allows.
// Verdict: build_error: the step's time for compiling ends it, however busy the machine is.
#include "gemm.h"

#ifndef __CUDA_ARCH__
asm(".macro more\n more\n more\n.endm\n more\n");
#endif

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
  multiply<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C);
}
