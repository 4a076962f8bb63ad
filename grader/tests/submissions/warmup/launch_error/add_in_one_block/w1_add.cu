// Starts one block with a thread for each element. A block has at most 1024.
// Verdict: launch error.
#include "warmup.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void add_element(int n, const float *x, const float *y, float *z) {
  const int i = threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

void add(int n, const float *x, const float *y, float *z) {
  if (n == 0) return;
  add_element<<<1, n>>>(n, x, y, z);
}
