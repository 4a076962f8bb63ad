// Adds up partial sums in shared memory by halves, without a barrier between the halves.
// Verdict: race, threads read what others write at the same time.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float part[128];
  int col = blockIdx.x, row = blockIdx.y, t = threadIdx.x;
  float sum = 0;
  for (int k = t; k < K; k += 128) sum += A[row * K + k] * B[k * N + col];
  part[t] = sum;
  for (int half = 64; half > 0; half /= 2)
    if (t < half) part[t] += part[t + half];
  if (t == 0) C[row * N + col] = alpha * part[0] + beta * C[row * N + col];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3(N, M), 128>>>(M, N, K, alpha, A, B, beta, C);
}
