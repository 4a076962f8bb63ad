// Right for every grid and block: each thread goes on to the next element that nobody has.
#include "mmkernel.h"

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c, int n,
                                    int m, int p) {
  __shared__ volatile float mine[1024];  // a factor of each thread
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int across = gridDim.x * blockDim.x, down = gridDim.y * blockDim.y;
  for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < m; j += down)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += across) {
      float sum = 0;
      for (int k = 0; k < p; ++k) {
        mine[thread] = c[k + pitch_c * j];
        sum += b[i + pitch_b * k] * mine[thread];
      }
      a[i + pitch_a * j] = sum;
    }
}
