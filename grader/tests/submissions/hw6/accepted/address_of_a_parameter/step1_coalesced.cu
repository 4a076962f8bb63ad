// A __grid_constant__ parameter whose address is taken.
// Verdict: accepted.
#include "gemm.h"

struct Parameters {
  int M, N, K;
  float alpha, beta;
  const float *A, *B;
  float *C;
};
__device__ __noinline__ int size_of(const Parameters *p, int which) { return (&p->M)[which]; }

__global__ void multiply(const __grid_constant__ Parameters p) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= size_of(&p, 1)) return;
  float sum = 0;
  for (int k = 0; k < size_of(&p, 2); ++k) sum += p.A[row * p.K + k] * p.B[k * p.N + col];
  p.C[row * p.N + col] = p.alpha * sum + p.beta * p.C[row * p.N + col];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 63) / 64, M), 64>>>({M, N, K, alpha, beta, A, B, C});
}
