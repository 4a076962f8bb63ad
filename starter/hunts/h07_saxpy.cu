// Hunt h07: y[i] = a * x[i] + y[i]. A thread updates four neighbours at a time, and strides through the vectors
// with the grid; what is left over at the end is done element by element.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// answer line:
// answer cause:
#include "hunts.h"

constexpr int THREADS = 64, MOST_BLOCKS = 16;

__global__ void update_four(int n, float a, const float *x, float *y) {
  const int me = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS;
  for (int q = me; q < n / 4; q += all) {
    const float4 u = reinterpret_cast<const float4 *>(x)[q];
    float4 v = reinterpret_cast<float4 *>(y)[q];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    reinterpret_cast<float4 *>(y)[q] = v;
  }
  const int rest = n / 4 * 4 + me;
  if (rest < n - 1) y[rest] += a * x[rest];
}

void saxpy_wide(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  const int wanted = (n / 4 + THREADS) / THREADS, blocks = wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS;
  update_four<<<blocks, THREADS>>>(n, a, x, y);
}
