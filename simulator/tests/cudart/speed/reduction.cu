// Sums of eight million floats: a loop over the grid, a tree in shared memory, shuffles, one atomic per
// block.
#include <cmath>

#include "speed.hpp"

__global__ void sum(const float *data, float *result, int n) {
  __shared__ float part[256];
  float own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += data[i];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = 128; half >= 32; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x >= 32) return;
  own = part[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(~0u, own, step);
  if (threadIdx.x == 0) atomicAdd(result, own);
}

int main() {
  const int n = 1 << 23;
  std::vector<float> data(n);
  const std::vector<unsigned> drawn = numbers(n);
  double want = 0;
  for (int i = 0; i < n; ++i) want += data[i] = static_cast<float>(drawn[i] >> 8) / 16777216.0f;
  float *device = upload(data), *result = upload(std::vector<float>(1));
  sum<<<2048, 256>>>(device, result, n);
  CHECK(cudaDeviceSynchronize());
  return finish(std::fabs(download(result, 1)[0] / want - 1) < 1e-5);
}
