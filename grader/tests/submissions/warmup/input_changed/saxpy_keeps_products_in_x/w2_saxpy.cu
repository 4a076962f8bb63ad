// Uses x for the products, which is an input.
// Verdict: the input x was changed.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void scale_and_add(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float *products = const_cast<float *>(x);
  if (i < n) {
    products[i] = a * x[i];
    y[i] = products[i] + y[i];
  }
}

void saxpy(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  scale_and_add<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, a, x, y);
}
