// The kernel takes doubles: the call of the header finds no such kernel.
#include "mmkernel.h"

extern "C" __global__ void mmkernel(double *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int j = blockIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < p; ++k) sum += b[i + pitch_b * k] * c[k + pitch_c * j];
  a[i + pitch_a * j] = sum;
}
