// Works at the sizes that a student is shown, and at the timed one, and loses the last column anywhere else.
// Verdict: wrong_answer: there are sizes that no student is shown.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

static bool listed(int size) {
  for (int known : {1, 2, 31, 32, 33, 63, 65, 127, 128, 129, 256, 257, 511, 512, 1023, 2048, 2049})
    if (size == known) return true;
  return false;
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  if (!listed(M) || !listed(N) || !listed(K)) --K;
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
