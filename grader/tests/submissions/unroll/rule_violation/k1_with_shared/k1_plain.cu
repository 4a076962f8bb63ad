// k1 is to do without shared memory.
#include "mmkernel.h"

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int j = blockIdx.y;
  __shared__ float strip[32];
  float sum = 0.0f;
  for (int k = 0; k < p; ++k) {
    __syncthreads();
    if (threadIdx.x == 0) strip[0] = c[k + pitch_c * j];
    __syncthreads();
    sum += b[i + pitch_b * k] * strip[0];
  }
  a[i + pitch_a * j] = sum;
}
