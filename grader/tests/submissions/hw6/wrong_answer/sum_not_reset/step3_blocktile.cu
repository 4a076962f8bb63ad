// Each thread goes through its sixteen columns in turn, but starts its sum from zero only once.
// Verdict: wrong_answer, only the first of the columns is right.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[256];
  int row = blockIdx.y, tid = threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 16; j++) {
    int c = blockIdx.x * 512 + j * 32 + tid;
    for (int k0 = 0; k0 < K; k0 += 256) {
      __syncthreads();
      for (int i = tid; i < 256; i += 32) a[i] = k0 + i < K ? A[row * K + k0 + i] : 0;
      __syncthreads();
      if (c < N)
        for (int k = 0; k < 256 && k0 + k < K; k++) sum += a[k] * B[(k0 + k) * N + c];
    }
    if (c < N) C[row * N + c] = alpha * sum + beta * C[row * N + c];
  }
}

void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 511) / 512, M), 32>>>(M, N, K, alpha, A, B, beta, C);
}
