// A quarter of a million keys: short strides in shared memory, long ones in global memory.
#include <algorithm>

#include "speed.hpp"

constexpr int tile = 1024;

__device__ void order(unsigned &a, unsigned &b, bool up) {
  if ((a > b) == up) {
    const unsigned t = a;
    a = b;
    b = t;
  }
}

__global__ void sort_tiles(unsigned *keys, int first, int last) {
  __shared__ unsigned part[tile];
  const unsigned base = blockIdx.x * tile, t = threadIdx.x;
  part[t] = keys[base + t];
  part[t + tile / 2] = keys[base + t + tile / 2];
  for (int size = first; size <= last; size *= 2)
    for (int stride = min(size, tile) / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned i = 2 * t - (t & (stride - 1));
      order(part[i], part[i + stride], ((base + i) & size) == 0);
    }
  __syncthreads();
  keys[base + t] = part[t];
  keys[base + t + tile / 2] = part[t + tile / 2];
}

__global__ void merge_globally(unsigned *keys, int size, int stride) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (stride - 1));
  unsigned a = keys[i], b = keys[i + stride];
  order(a, b, (i & size) == 0);
  keys[i] = a;
  keys[i + stride] = b;
}

int main() {
  const int n = 1 << 18;
  std::vector<unsigned> keys = numbers(n);
  unsigned *device = upload(keys);
  sort_tiles<<<n / tile, tile / 2>>>(device, 2, tile);
  for (int size = 2 * tile; size <= n; size *= 2) {
    for (int stride = size / 2; stride >= tile; stride /= 2)
      merge_globally<<<n / 512, 256>>>(device, size, stride);
    sort_tiles<<<n / tile, tile / 2>>>(device, size, size);
  }
  CHECK(cudaDeviceSynchronize());
  std::sort(keys.begin(), keys.end());
  return finish(download(device, n) == keys);
}
