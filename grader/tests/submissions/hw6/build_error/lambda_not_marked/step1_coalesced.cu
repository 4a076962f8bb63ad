// Hands the kernel a lambda and forgets to mark it __device__.
// Verdict: build_error with nvcc. clang takes it, and the report warns that nvcc does not.
#include "gemm.h"

template <class Each>
__global__ void for_each(int M, int N, Each each) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) each(row, col);
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  for_each<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, [=](int row, int col) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  });
}
