// Adds up the products and never stores the sum: the compiler leaves nothing of the kernel.
// Verdict: not_implemented, as for the stub, since the kernel returns at once; the message names both reasons.
#include "mmkernel.h"

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int,
                                    int, int p) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int j = blockIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < p; ++k) sum += b[i + pitch_b * k] * c[k + pitch_c * j];
}
