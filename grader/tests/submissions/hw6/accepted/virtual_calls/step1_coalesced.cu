// A class with virtual functions, made by the thread that uses it.
// Verdict: accepted.
#include "gemm.h"

struct Element {
  __device__ virtual float finish(float sum, float old) const = 0;
  __device__ virtual ~Element() {}
};
struct Scaled : Element {
  float alpha, beta;
  __device__ Scaled(float a, float b) : alpha(a), beta(b) {}
  __device__ float finish(float sum, float old) const override { return alpha * sum + beta * old; }
};
struct Plain : Element {
  __device__ float finish(float sum, float) const override { return sum; }
};

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
  Scaled scaled(alpha, beta);
  Plain plain;
  const Element *e = alpha == 1 && beta == 0 ? (const Element *)&plain : &scaled;
  C[row * N + col] = e->finish(sum, C[row * N + col]);
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C);
}
