// Kernel k5, unrolled along i and j: a thread computes four elements. Grid n/64 x m/2, block 32 x 1.
//
// Two elements of b and two of c give four products: eight flops for two reads of global memory.
#include "mmkernel.h"

[[maybe_unused]] constexpr int STRIP = 32;

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  // TODO(1): combine k3 and k4.
  // BEGIN SOLUTION
  __shared__ float left[STRIP], right[STRIP];
  const int lane = threadIdx.x;
  const int i = blockIdx.x * (2 * STRIP) + lane;
  const int j = blockIdx.y * 2;
  float near0 = 0.0f, near1 = 0.0f, far0 = 0.0f, far1 = 0.0f;
  for (int first = 0; first < p; first += STRIP) {
    left[lane] = c[first + lane + pitch_c * j];
    right[lane] = c[first + lane + pitch_c * (j + 1)];
    __syncthreads();
    for (int k = 0; k < STRIP; ++k) {
      const float *column = b + pitch_b * (first + k);
      const float near = column[i], far = column[i + STRIP];
      near0 += near * left[k];
      near1 += near * right[k];
      far0 += far * left[k];
      far1 += far * right[k];
    }
    __syncthreads();
  }
  a[i + pitch_a * j] = near0;
  a[i + pitch_a * (j + 1)] = near1;
  a[i + STRIP + pitch_a * j] = far0;
  a[i + STRIP + pitch_a * (j + 1)] = far1;
  // END SOLUTION
}
