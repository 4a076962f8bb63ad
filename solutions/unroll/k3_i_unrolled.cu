// Kernel k3, unrolled along i: a thread computes two elements of a column, 32 apart. Grid n/64 x m, block 32
// x 1.
//
// The strip of c serves twice as many products; each product still needs its own element of b.
#include "mmkernel.h"

[[maybe_unused]] constexpr int STRIP = 32;

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  // TODO(1): as k2, with two sums in two registers: one for i, one for i + 32.
  // BEGIN SOLUTION
  __shared__ float strip[STRIP];
  const int lane = threadIdx.x;
  const int i = blockIdx.x * (2 * STRIP) + lane;
  const int j = blockIdx.y;
  float near = 0.0f, far = 0.0f;
  for (int first = 0; first < p; first += STRIP) {
    strip[lane] = c[first + lane + pitch_c * j];
    __syncthreads();
    for (int k = 0; k < STRIP; ++k) {
      const float *column = b + pitch_b * (first + k);
      near += column[i] * strip[k];
      far += column[i + STRIP] * strip[k];
    }
    __syncthreads();
  }
  a[i + pitch_a * j] = near;
  a[i + STRIP + pitch_a * j] = far;
  // END SOLUTION
}
