// An array of pointers to the rows of A and C, built on the host and copied to the device: float **.
// Verdict: bad_plan, pointers travel as kernel arguments only.
#include "gemm.h"

#include <vector>

__global__ void multiply(int N, int K, float alpha, const float *const *a, const float *B, float beta, float *const *c) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += a[row][k] * B[k * N + col];
  c[row][col] = alpha * sum + beta * c[row][col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  std::vector<const float *> a(M);
  std::vector<float *> c(M);
  for (int i = 0; i < M; ++i) a[i] = A + (size_t)i * K, c[i] = C + (size_t)i * N;
  const float **da;
  float **dc;
  cudaMalloc(&da, M * sizeof(*da));
  cudaMalloc(&dc, M * sizeof(*dc));
  cudaMemcpy(da, a.data(), M * sizeof(*da), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), M * sizeof(*dc), cudaMemcpyHostToDevice);
  multiply<<<dim3((N + 63) / 64, M), 64>>>(N, K, alpha, da, B, beta, dc);
  cudaFree(da);
  cudaFree(dc);
}
