// Renames itself to /etc/passwd, to a terminal escape and to HTML, and has an error.
// Verdict: build_error, the names are shown escaped and prefixed.
#line 1 "/etc/passwd"
int a = ;
#line 1 "\033[2J<img src=x onerror=alert(1)>"
int b = ;
#line 2147483647 "../../assignments/hw6/hidden.yaml"
int c = ;
#line 1 "Score: 100/100"
int d = ;
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (M + 7) / 8);
  multiply<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}
