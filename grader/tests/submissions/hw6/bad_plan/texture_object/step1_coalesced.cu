// Reads B through a texture object.
// Verdict: bad_plan, textures are refused in words.
#include "gemm.h"

__global__ void multiply(cudaTextureObject_t t, int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * tex1Dfetch<float>(t, k * N + col);
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = const_cast<float *>(B);
  r.res.linear.desc = cudaCreateChannelDesc<float>();
  r.res.linear.sizeInBytes = sizeof(float) * K * N;
  cudaTextureDesc d = {};
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &r, &d, nullptr);
  multiply<<<dim3((N + 63) / 64, M), 64>>>(t, M, N, K, alpha, A, B, beta, C);
  cudaDestroyTextureObject(t);
}
