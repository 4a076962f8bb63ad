// Hunt h08: sum[0] = x[0] + ... + x[n - 1]. The lanes of a warp add up by shuffles; then the first warp
// adds up what the warps of the block found.
//
// TODO(1): find the fault, fix it below, and write here where it was and what it was.
// answer line:
// answer cause:
#include "hunts.h"

constexpr unsigned ALL = 0xffffffffu;
constexpr int WARPS = 8;

__device__ float add_lanes(float value) {
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(ALL, value, d);
  return value;
}

__global__ void add_warps(int n, const float *x, float *sum) {
  __shared__ float part[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float value = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += x[i];
  value = add_lanes(value);
  if (lane == 0) part[warp] = value;
  __syncthreads();
  if (warp == 0) {
    float mine = lane < WARPS ? part[lane] : 0.0f;
    for (int d = WARPS / 2; d > 0; d /= 2) mine += __shfl_down_sync(0xfu, mine, d);
    if (lane == 0) atomicAdd(sum, mine);
  }
}

void sum_shuffled(int n, const float *x, float *sum) {
  cudaMemsetAsync(sum, 0, sizeof(float));
  if (n == 0) return;
  const int wanted = (n + 1023) / 1024, blocks = wanted < 64 ? wanted : 64;
  add_warps<<<blocks, 32 * WARPS>>>(n, x, sum);
}
