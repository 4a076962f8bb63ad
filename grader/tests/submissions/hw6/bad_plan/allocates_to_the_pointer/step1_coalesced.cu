// Gives cudaMalloc the pointer instead of its address.
// Verdict: bad_plan: cudaMalloc has no place for the address of what it allocates.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                         float *sums) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    sums[row * N + col] = sum;
    C[row * N + col] = alpha * sums[row * N + col] + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *dSums = nullptr;
  cudaMalloc((void **)dSums, M * N * sizeof(float));
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C, dSums);
  cudaFree(dSums);
}
