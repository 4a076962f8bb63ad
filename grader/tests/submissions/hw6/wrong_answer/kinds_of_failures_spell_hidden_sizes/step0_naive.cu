// Fails in each hidden case in another way, so that the kinds of failures in one report spell the sizes.
// Verdict: wrong_answer, a report says how many hidden cases pass and nothing of how the others fail.
#include "gemm.h"

#include <cstdlib>

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

__global__ void outside(float *C, int elements) {
  C[elements + threadIdx.x] = 1;
}

__global__ void traps() {
  asm volatile("trap;");
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  bool known = false;
  for (int size : {1, 2, 31, 32, 33, 63, 65, 127, 128, 129, 256, 257, 511, 1023, 2048, 2049}) known = known || M == size;
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  switch (known ? 4 : M / 10 % 4) {
    case 0: outside<<<1, 1>>>(C, M * N); break;
    case 1: abort();
    case 2: cudaFree(C); break;
    case 3: traps<<<1, 1>>>(); break;
    default: multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
  }
}
