// Step exercise: a kernel to read. It computes nothing useful, but it accesses memory in many ways:
// neighbouring threads access neighbouring elements, elements far apart, and banks with and without
// conflicts. accesses.yaml asks about each access; the letters name them.
#include "layouts.h"

[[maybe_unused]] constexpr int THREADS = 256, TERMS = 4;

__global__ void touch(const float *a, const float *b, const float *c, float *d, float *e) {
  __shared__ float kept[THREADS];
  __shared__ float sums[TERMS * THREADS];
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  const int all = gridDim.x * THREADS;

  kept[t] = a[i];  // A: from a, B: to kept
  for (int j = 0; j < TERMS; ++j)
    sums[j * THREADS + t] = b[j * all + i] + c[TERMS * i + j];  // C: from b, D: from c, E: to sums
  __syncthreads();
  d[i + 8] = kept[t];          // F: from kept, G: to d
  e[8 * i] = sums[TERMS * t];  // H: from sums, I: to e
}

void exercise(int n, const float *a, const float *b, const float *c, float *d, float *e) {
  // TODO(1): launch touch with one thread for each of the n numbers of a. Do not change the kernel.
}
