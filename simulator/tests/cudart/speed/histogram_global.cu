// Two million bytes into 256 bins of global memory.
#include "speed.hpp"

__global__ void count(const unsigned char *data, unsigned *bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

int main() {
  const int n = 1 << 21;
  std::vector<unsigned char> data(n);
  const std::vector<unsigned> drawn = numbers(n);
  std::vector<unsigned> want(256);
  for (int i = 0; i < n; ++i) ++want[data[i] = drawn[i] >> 24];
  unsigned char *device = upload(data);
  unsigned *bins = upload(std::vector<unsigned>(256));
  count<<<n / 256, 256>>>(device, bins, n);
  CHECK(cudaDeviceSynchronize());
  return finish(download(bins, 256) == want);
}
