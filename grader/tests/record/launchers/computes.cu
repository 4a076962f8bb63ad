// A launcher that computes for 0.3 s of processor time before it launches.
#include <ctime>

#include "gemm.h"

__global__ void one(float *C) {
  C[threadIdx.x] = 1;
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  while (clock() < CLOCKS_PER_SEC * 3 / 10) {
  }
  one<<<1, 1>>>(C);
}
