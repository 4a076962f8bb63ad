// The same result, without the strip.
#include "mmkernel.h"

constexpr int STRIP = 32;  // as long as a block is wide

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  const int lane = threadIdx.x;
  const int i = blockIdx.x * STRIP + lane;
  const int j = blockIdx.y;
  float sum = 0.0f;
  for (int first = 0; first < p; first += STRIP) {
    for (int k = 0; k < STRIP; ++k) sum += b[i + pitch_b * (first + k)] * c[first + k + pitch_c * j];
  }
  a[i + pitch_a * j] = sum;
}
