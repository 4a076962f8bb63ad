// Hands in the fault as it was, with the right answers, which count all the same.
// Verdict: out of bounds, at the line of the sum.
//
// answer line: 12
// answer cause: bounds
#include "hunts.h"

constexpr int THREADS = 128;

__global__ void update(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  y[i] = a * x[i] + y[i];
}

void saxpy_single(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  update<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, a, x, y);
}
