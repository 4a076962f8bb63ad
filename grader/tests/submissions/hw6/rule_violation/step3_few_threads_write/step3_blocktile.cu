// One result a thread, into memory of its own; then a quarter of a thousand threads copy all of it to C.
// Verdict: rule_violation, since those count that compute, not those that write C.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
                         int first) {
  __shared__ float a[16][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = first + blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int from = 0; from < K; from += 16) {
    a[y][x] = row < M && from + x < K ? A[row * K + from + x] : 0.0f;
    b[y][x] = from + y < K && col < N ? B[(from + y) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

__global__ void hand_over(const float *from, float *C, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) C[i] = from[i];
}

void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *own = nullptr;
  cudaMalloc(&own, sizeof(float) * M * N);
  cudaMemcpy(own, C, sizeof(float) * M * N, cudaMemcpyDeviceToDevice);
  multiply<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(M, N, K, alpha, A, B, beta, own, 0);
  hand_over<<<1, 256>>>(own, C, M * N);
  cudaFree(own);
}
