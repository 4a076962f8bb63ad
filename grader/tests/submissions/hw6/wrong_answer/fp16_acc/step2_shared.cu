// Keeps tiles and sum in half precision.
// Verdict: wrong_answer, the tolerance tells half precision from single.
#include <cuda_fp16.h>

#include "gemm.h"

#define T 16

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ __half As[T][T];
  __shared__ __half Bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty;
  int col = blockIdx.x * T + tx;
  __half sum = __float2half(0.0f);
  for (int k0 = 0; k0 < K; k0 += T) {
    As[ty][tx] = __float2half(row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0);
    Bs[ty][tx] = __float2half(k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0);
    __syncthreads();  // tiles are loaded
    for (int k = 0; k < T; k++) sum = __hfma(As[ty][k], Bs[k][tx], sum);
    __syncthreads();  // tiles are used
  }
  if (row < M && col < N) C[row * N + col] = alpha * __half2float(sum) + beta * C[row * N + col];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(T, T);
  dim3 grid((N + T - 1) / T, (M + T - 1) / T);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
