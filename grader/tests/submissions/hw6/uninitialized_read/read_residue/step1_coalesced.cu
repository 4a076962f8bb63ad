// Copies fresh memory, hoping that the answer of somebody else still lies there.
// Verdict: uninitialized_read: nobody has written what it reads.
#include "gemm.h"

__global__ void take(int n, const float *found, float *C) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) C[i] = found[i];
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  float *found;
  cudaMalloc(&found, sizeof(float) * M * N);
  take<<<(M * N + 255) / 256, 256>>>(M * N, found, C);
  cudaFree(found);
}
