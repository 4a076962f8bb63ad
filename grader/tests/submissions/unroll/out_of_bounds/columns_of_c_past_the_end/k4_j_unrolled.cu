// The last pair of columns begins one too late.
#include "mmkernel.h"

constexpr int STRIP = 32;

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  __shared__ float left[STRIP], right[STRIP];
  const int lane = threadIdx.x;
  const int i = blockIdx.x * STRIP + lane;
  const int j = blockIdx.y * 2 + 1;
  float sum0 = 0.0f, sum1 = 0.0f;
  for (int first = 0; first < p; first += STRIP) {
    left[lane] = c[first + lane + pitch_c * j];
    right[lane] = c[first + lane + pitch_c * (j + 1)];
    __syncthreads();
    for (int k = 0; k < STRIP; ++k) {
      const float factor = b[i + pitch_b * (first + k)];
      sum0 += factor * left[k];
      sum1 += factor * right[k];
    }
    __syncthreads();
  }
  a[i + pitch_a * j] = sum0;
  a[i + pitch_a * (j + 1)] = sum1;
}
