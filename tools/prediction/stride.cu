// A fixed number of blocks whose threads take one element of C after the other, the grid's number of threads apart.
//   THREADS     of a block
//   BLOCKS      of the grid
//   U           steps of K that are unrolled
//   KAHAN       1: sums are compensated, so each step depends on four operations of the step before
//   WIDE        1: indices of 64 bits throughout
#include "gemm.h"

#ifndef KAHAN
#define KAHAN 0
#endif
#ifndef WIDE
#define WIDE 0
#endif
#if WIDE
using Index = std::int64_t;
#else
using Index = int;
#endif

constexpr int UNROLLED = U;

__global__ void product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const Index step = Index{THREADS} * BLOCKS, count = Index{M} * N;
  for (Index i = Index{THREADS} * blockIdx.x + threadIdx.x; i < count; i += step) {
    const Index row = i / N, col = i % N;
    float sum = 0.0f, lost = 0.0f;
#pragma unroll(UNROLLED)
    for (Index k = 0; k < K; ++k) {
      const float a = A[row * K + k], b = B[k * N + col];
      if (KAHAN) {
        const float part = __fmaf_rn(a, b, -lost), next = __fadd_rn(sum, part);
        lost = __fsub_rn(__fsub_rn(next, sum), part);
        sum = next;
      } else {
        sum += a * b;
      }
    }
    C[i] = alpha * sum + (beta == 0.0f ? 0.0f : beta * C[i]);
  }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<BLOCKS, THREADS>>>(M, N, K, alpha, A, B, beta, C);
}
