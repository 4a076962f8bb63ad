// Mentions headers of libraries where no compiler reads them.
// Verdict: accepted, nothing of a library is included.
#include "gemm.h"

// #include <thrust/sort.h>
/*
#include <cublas_v2.h>
*/
#if 0
#include <cub/cub.cuh>
#endif
static const char *text = R"(
#include <thrust/sort.h>
)";

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  if (text != nullptr) multiply<<<dim3((N + 63) / 64, M), 64>>>(M, N, K, alpha, A, B, beta, C);
}
