// Hunt h01: y[i] = a * x[i] + y[i]. One thread updates one element.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// STUB: // answer line:
// STUB: // answer cause:
// BEGIN SOLUTION
// answer line: 12
// answer cause: bounds
// END SOLUTION
#include "hunts.h"

constexpr int THREADS = 128;

__global__ void update(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN FIX
  // FAULT: if (i > n) return;
  if (i >= n) return;
  // END FIX
  y[i] = a * x[i] + y[i];
}

void saxpy_single(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  update<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, a, x, y);
}
