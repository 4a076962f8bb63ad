// Duff's device, a goto and a do-while loop.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  int k = 0, n = (K + 7) / 8;
  if (row >= M) goto out;
  if (col >= N) goto out;
  switch (K % 8) {
    case 0: do { sum += A[row * K + k] * B[k * N + col]; ++k;
    case 7: sum += A[row * K + k] * B[k * N + col]; ++k;
    case 6: sum += A[row * K + k] * B[k * N + col]; ++k;
    case 5: sum += A[row * K + k] * B[k * N + col]; ++k;
    case 4: sum += A[row * K + k] * B[k * N + col]; ++k;
    case 3: sum += A[row * K + k] * B[k * N + col]; ++k;
    case 2: sum += A[row * K + k] * B[k * N + col]; ++k;
    case 1: sum += A[row * K + k] * B[k * N + col]; ++k;
    } while (--n > 0);
  }
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
out:
  return;
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(M, N, K, alpha, A, B, beta, C);
}
