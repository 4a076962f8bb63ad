// Step first: one thread for each element of y.
#include "contract.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void average(int n, const float *x, float *y) {
  // TODO(1): compute one element of y. The last block has threads without an element, and two elements have one neighbour.
  // BEGIN SOLUTION
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float left = i > 0 ? x[i - 1] : 0.0f, right = i < n - 1 ? x[i + 1] : 0.0f;
  y[i] = (left + x[i] + right) / 3.0f;
  // END SOLUTION
}

void first(int n, const float *x, float *y) {
  // TODO(2): launch the kernel with as many blocks as y needs.
  // BEGIN SOLUTION
  average<<<(n + THREADS - 1) / THREADS, THREADS>>>(n, x, y);
  // END SOLUTION
}
