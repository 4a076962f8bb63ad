// Computes in half precision.
// Verdict: wrong answer: 11 bits of a product are too few.
#include <cuda_fp16.h>

#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void scale_and_add(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = __half2float(__float2half(a * x[i] + y[i]));
}

void saxpy(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  scale_and_add<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, a, x, y);
}
