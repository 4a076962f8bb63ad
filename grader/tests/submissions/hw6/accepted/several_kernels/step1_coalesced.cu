// Scales C by beta first, then adds the product to it, 64 columns of A at a time.
// Verdict: accepted, with one launch for each 64 columns.
#include "gemm.h"

__global__ void scale(int n, float beta, float *C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] *= beta;
}

__global__ void add_product(int M, int N, int K, int k0, int k1, float alpha, const float *A, const float *B, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = k0; k < k1; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] += alpha * sum;
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  scale<<<(M * N + 255) / 256, 256>>>(M * N, beta, C);
  for (int k = 0; k < K; k += 64)
    add_product<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, K, k, k + 64 < K ? k + 64 : K, alpha, A, B, C);
}
