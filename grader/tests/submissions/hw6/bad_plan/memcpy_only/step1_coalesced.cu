// Copies A into C and launches no kernel.
// Verdict: bad_plan, a plan without a launch computes nothing.
#include "gemm.h"

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const size_t bytes = sizeof(float) * M * (N < K ? N : K);
  cudaMemcpy(C, A, bytes, cudaMemcpyDeviceToDevice);
}
