// Right for every grid and block: each thread goes on to the next element that nobody has.
#include "mmkernel.h"

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int n,
                                    int m, int p) {
  __shared__ float first_of_c[1];
  if (threadIdx.x == 0 && threadIdx.y == 0) first_of_c[0] = c[0];
  __syncthreads();
  const int across = gridDim.x * blockDim.x, down = gridDim.y * blockDim.y;
  for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < m; j += down)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += across) {
      float sum = b[i] * (j == 0 ? first_of_c[0] : c[pitch_c * j]);
      for (int k = 1; k < p; ++k) sum += b[i + pitch_b * k] * c[k + pitch_c * j];
      a[i + pitch_a * j] = sum;
    }
}
