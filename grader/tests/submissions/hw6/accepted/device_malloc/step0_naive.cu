// Takes memory from the device's heap in every thread, and gives it back.
// Verdict: accepted; the heap of the simulator is as large as a GPU's.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float *sum = static_cast<float *>(malloc(sizeof(float)));
    *sum = 0;
    for (int k = 0; k < K; k++) *sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * *sum + beta * C[row * N + col];
    free(sum);
  }
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
