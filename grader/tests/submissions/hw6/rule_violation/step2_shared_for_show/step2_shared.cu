// Step 1 again. Every number also goes to shared memory and is read back, as often as tiles would, and is not used.
// Verdict: rule_violation, since no result depends on shared memory.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ volatile float show[256];
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int mine = threadIdx.y * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) {
      const float b = B[k * N + col];
      show[mine] = b;
      if (show[mine] == 1.0e30f) sum += 1;
      sum += A[row * K + k] * b;
    }
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C);
}
