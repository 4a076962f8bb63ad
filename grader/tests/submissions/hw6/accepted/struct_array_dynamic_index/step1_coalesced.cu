// Passes a struct with an array of pointers by value and picks from it with an index known at run time only.
// Verdict: accepted.
#include "gemm.h"

struct Arguments {
  const float *in[2];
  float *out;
  int extent[3];
  float factor[2];
};

__global__ void multiply(Arguments p, int first) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col >= p.extent[1]) return;
  const float *a = p.in[first], *b = p.in[1 - first];
  float sum = 0;
  for (int k = 0; k < p.extent[2]; ++k) sum += a[row * p.extent[2] + k] * b[k * p.extent[1] + col];
  float *c = p.out + row * p.extent[1] + col;
  *c = p.factor[first] * sum + p.factor[1 - first] * *c;
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  Arguments p{{A, B}, C, {M, N, K}, {alpha, beta}};
  multiply<<<dim3((N + 127) / 128, M), 128>>>(p, 0);
}
