// The kernel of step 2, one result a thread, launched 16 times on strips of C: each launch has a sixteenth of the threads.
// Verdict: rule_violation, since the threads of all launches count.
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

void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int rows = (M + 255) / 256 * 16;  // of a strip
  for (int first = 0; first < M; first += rows)
    multiply<<<dim3((N + 15) / 16, rows / 16), dim3(16, 16)>>>(first + rows < M ? first + rows : M, N, K, alpha, A, B,
                                                               beta, C, first);
}
