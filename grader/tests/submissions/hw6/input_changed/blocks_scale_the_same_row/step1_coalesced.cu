// Every block of a row multiplies its row of A by alpha in place, before it reads it.
// Verdict: input_changed, not race: that the blocks race for A follows from writing an input.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  for (int k = threadIdx.x; k < K; k += blockDim.x) A[row * K + k] *= alpha;
  __syncthreads();
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 63) / 64, M), 64>>>(M, N, K, alpha, const_cast<float *>(A), B, beta, C);
}
