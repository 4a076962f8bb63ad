// Chooses between two ways to accumulate through a table of pointers to device functions.
// Verdict: accepted.
#include "gemm.h"

typedef float (*Add)(float, float, float);
__device__ __noinline__ float with_fma(float s, float a, float b) { return fmaf(a, b, s); }
__device__ __noinline__ float without(float s, float a, float b) { return __fadd_rn(s, __fmul_rn(a, b)); }
__device__ Add table[2] = {with_fma, without};

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C, int which) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum = table[(which + threadIdx.x) & 1](sum, A[row * K + k], B[k * N + col]);
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C, M % 2);
}
