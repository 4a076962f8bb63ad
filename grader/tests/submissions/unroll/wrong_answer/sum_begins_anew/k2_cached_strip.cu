// Only the last strip counts.
#include "mmkernel.h"

constexpr int STRIP = 32;  // as long as a block is wide

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  __shared__ float strip[STRIP];
  const int lane = threadIdx.x;
  const int i = blockIdx.x * STRIP + lane;
  const int j = blockIdx.y;
  float sum;
  for (int first = 0; first < p; first += STRIP) {
    sum = 0.0f;
    strip[lane] = c[first + lane + pitch_c * j];
    __syncthreads();  // lanes of a warp need not run in step
    for (int k = 0; k < STRIP; ++k) sum += b[i + pitch_b * (first + k)] * strip[k];
    __syncthreads();  // nobody still reads what comes next
  }
  a[i + pitch_a * j] = sum;
}
