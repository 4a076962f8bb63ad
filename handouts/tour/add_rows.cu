// Each thread adds up one row of A. The handout of hw6 shows a recording of this kernel; it solves no step.
#include "gemm.h"

__global__ void add_rows(int n, const float *in, float *out) {
  int row = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += in[row * n + k];
  out[row] = sum;
}

void step0(int, int, int K, float, const float *A, const float *, float, float *C) {
  add_rows<<<1, 32>>>(K, A, C);
}
