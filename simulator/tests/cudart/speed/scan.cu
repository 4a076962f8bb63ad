// Prefix sums of four million numbers, up and down a tree in shared memory.
#include "speed.hpp"

constexpr int tile = 1024;

__global__ void scan(const unsigned *from, unsigned *to, unsigned *sums) {
  __shared__ unsigned part[tile];
  const int t = threadIdx.x, base = blockIdx.x * tile;
  part[2 * t] = from[base + 2 * t];
  part[2 * t + 1] = from[base + 2 * t + 1];
  int offset = 1;
  for (int d = tile / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) part[offset * (2 * t + 2) - 1] += part[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = part[tile - 1];
    part[tile - 1] = 0;
  }
  for (int d = 1; d < tile; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
      const unsigned before = part[left];
      part[left] = part[right];
      part[right] += before;
    }
  }
  __syncthreads();
  to[base + 2 * t] = part[2 * t];
  to[base + 2 * t + 1] = part[2 * t + 1];
}

__global__ void add(unsigned *data, const unsigned *sums) {
  const int i = blockIdx.x * tile + threadIdx.x;
  data[i] += sums[blockIdx.x];
  data[i + tile / 2] += sums[blockIdx.x];
}

int main() {
  const int n = 1 << 22, blocks = n / tile, upper = blocks / tile;
  const std::vector<unsigned> data = numbers(n);
  unsigned *from = upload(data), *to = room<unsigned>(n), *sums = room<unsigned>(blocks);
  unsigned *scanned = room<unsigned>(blocks), *top = room<unsigned>(tile), *none = room<unsigned>(1);
  CHECK(cudaMemset(top, 0, tile * sizeof *top));
  scan<<<blocks, tile / 2>>>(from, to, sums);
  scan<<<upper, tile / 2>>>(sums, scanned, top);
  scan<<<1, tile / 2>>>(top, top, none);
  add<<<upper, tile / 2>>>(scanned, top);
  add<<<blocks, tile / 2>>>(to, scanned);
  CHECK(cudaDeviceSynchronize());
  std::vector<unsigned> want(n);
  for (int i = 1; i < n; ++i) want[i] = want[i - 1] + data[i - 1];
  return finish(download(to, n) == want);
}
