// Launches a kernel that does nothing.
// Verdict: wrong_answer, every element still holds the old value.
#include "gemm.h"

__global__ void nothing() {}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  nothing<<<1, 1>>>();
}
