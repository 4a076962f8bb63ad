// Copies A and B into pitched, padded scratch memory with cudaMallocPitch, cudaMemset2D and cudaMemcpy2D.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, size_t lda, const float *B, size_t ldb,
                         float beta, float *C) {
  __shared__ float a[32][32], b[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    a[threadIdx.y][threadIdx.x] = A[row * lda + k0 + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * ldb + col];
    __syncthreads();
    for (int k = 0; k < 32; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int m = (M + 31) / 32 * 32, n = (N + 31) / 32 * 32, k = (K + 31) / 32 * 32;
  float *a, *b;
  size_t pa, pb;
  cudaMallocPitch(&a, &pa, k * sizeof(float), m);
  cudaMallocPitch((void **)&b, &pb, n * sizeof(float), k);
  cudaMemset2D(a, pa, 0, k * sizeof(float), m);
  cudaMemset(b, 0, pb * k);
  cudaMemcpy2D(a, pa, A, K * sizeof(float), K * sizeof(float), M, cudaMemcpyDeviceToDevice);
  cudaMemcpy2DAsync(b, pb, B, N * sizeof(float), N * sizeof(float), K, cudaMemcpyDefault);
  multiply<<<dim3(n / 32, m / 32), dim3(32, 32)>>>(M, N, K, alpha, a, pa / sizeof(float), b, pb / sizeof(float), beta, C);
  cudaFree(a);
  cudaFree(b);
}
