// Right, and slow: the lanes of a warp lie along i, so each of their stores goes to another row.
#include "mmkernel.h"

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  const int thread = threadIdx.x + 32 * threadIdx.y;  // 128 threads for 64 x 8 elements
  const int i = blockIdx.y * 8 + thread % 8;
  for (int j = blockIdx.x * 64 + thread / 8; j < (blockIdx.x + 1) * 64; j += 16) {
    float sum = 0.0f;
    for (int k = 0; k < p; ++k) sum += b[i + pitch_b * k] * c[j + pitch_c * k];
    a[j + pitch_a * i] = sum;
  }
}
