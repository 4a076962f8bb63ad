// Passes the dynamic shared memory in elements, where bytes are asked for.
// Verdict: out_of_bounds, three quarters of the tiles do not exist.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  extern __shared__ float tiles[];
  float *a = tiles, *b = tiles + 256;
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    a[y * 16 + x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
    b[y * 16 + x] = col < N && k0 + y < K ? B[(k0 + y) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += a[y * 16 + k] * b[k * 16 + x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16), 2 * 256>>>(M, N, K, alpha, A, B, beta, C);
}
