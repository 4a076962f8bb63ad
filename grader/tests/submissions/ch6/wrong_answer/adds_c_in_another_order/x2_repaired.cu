// Takes the four numbers of c from n apart, as those of b lie.
// Verdict: wrong_answer.
#include "layouts.h"

[[maybe_unused]] constexpr int THREADS = 256, TERMS = 4;

__global__ void touch_in_order(const float *a, const float *b, const float *c, float *d, float *e) {
  __shared__ float sums[TERMS * THREADS + TERMS * THREADS / 32];  // a word unused after every 32
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  const int all = gridDim.x * THREADS;
  const float4 four = make_float4(c[i], c[all + i], c[2 * all + i], c[3 * all + i]);
  const float mine[TERMS] = {four.x, four.y, four.z, four.w};
#pragma unroll
  for (int j = 0; j < TERMS; ++j) {
    const int at = j * THREADS + t;
    sums[at + at / 32] = b[j * all + i] + mine[j];
  }
  __syncthreads();
  d[i + 8] = a[i];
  e[8 * i] = sums[TERMS * t + TERMS * t / 32];
}

void repaired(int n, const float *a, const float *b, const float *c, float *d, float *e) {
  touch_in_order<<<n / THREADS, THREADS>>>(a, b, c, d, e);
}
