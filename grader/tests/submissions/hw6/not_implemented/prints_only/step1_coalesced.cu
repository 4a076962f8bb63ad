// Put a greeting in the launcher and nothing else.
// Verdict: not_implemented, the launcher launches nothing.
#include <cstdio>

#include "gemm.h"

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  printf("step1: %d x %d x %d, coming soon\n", M, N, K);
}
