// Moves numbers about as bits: unions, __float_as_uint, bytes put together again.
// Verdict: accepted.
#include "gemm.h"

union Word {
  float f;
  unsigned u;
  unsigned char byte[4];
  unsigned short half[2];
};

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    Word a, b;
    a.u = __float_as_uint(A[row * K + k]);
    const unsigned char *from = (const unsigned char *)(B + k * N + col);
    for (int i = 0; i < 4; ++i) b.byte[i] = from[i];
    Word c;
    c.half[0] = a.u & 0xffff;
    c.half[1] = a.u >> 16;
    unsigned swapped = __byte_perm(b.u, 0, 0x0123);
    sum = __fmaf_rn(c.f, __uint_as_float(__byte_perm(swapped, 0, 0x0123)), sum);
  }
  C[row * N + col] = alpha * sum + beta * __int_as_float(reinterpret_cast<int *>(C)[row * N + col]);
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C);
}
