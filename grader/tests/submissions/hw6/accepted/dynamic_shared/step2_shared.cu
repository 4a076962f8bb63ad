// 64 KiB of dynamic shared memory, more than a kernel gets without asking: tiles are 32 wide and 256
// deep.
// Verdict: accepted, because the launcher raises the kernel's limit first.
#include "gemm.h"

const int T = 32, DEPTH = 256;

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  extern __shared__ float memory[];
  float *a = memory;              // T x DEPTH
  float *b = memory + T * DEPTH;  // DEPTH x T
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += DEPTH) {
    for (int k = tx; k < DEPTH; k += T) a[ty * DEPTH + k] = row < M && k0 + k < K ? A[row * K + k0 + k] : 0.0f;
    for (int k = ty; k < DEPTH; k += T) b[k * T + tx] = col < N && k0 + k < K ? B[(k0 + k) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < min(DEPTH, K - k0); k++) sum += a[ty * DEPTH + k] * b[k * T + tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int bytes = 2 * T * DEPTH * sizeof(float);
  cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  dim3 grid((N + T - 1) / T, (M + T - 1) / T), block(T, T);
  multiply<<<grid, block, bytes>>>(M, N, K, alpha, A, B, beta, C);
}
