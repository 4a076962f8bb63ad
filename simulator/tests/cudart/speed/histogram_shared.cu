// Four million bytes into 256 bins: each block counts in shared memory and adds its bins to those of all.
#include "speed.hpp"

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
  const int n = 1 << 22;
  std::vector<unsigned char> data(n);
  const std::vector<unsigned> drawn = numbers(n);
  std::vector<unsigned> want(256);
  for (int i = 0; i < n; ++i) ++want[data[i] = drawn[i] >> 24];
  unsigned char *device = upload(data);
  unsigned *bins = upload(std::vector<unsigned>(256));
  count<<<256, 256>>>(device, bins, n);
  CHECK(cudaDeviceSynchronize());
  return finish(download(bins, 256) == want);
}
