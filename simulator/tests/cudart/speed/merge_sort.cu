// A million keys: each pass merges neighbouring runs, and each thread writes 8 keys that a search finds.
#include <algorithm>

#include "speed.hpp"

constexpr int share = 8;

__global__ void merge(const unsigned *from, unsigned *to, int n, int run) {
  const int out = (blockIdx.x * blockDim.x + threadIdx.x) * share;
  if (out >= n) return;
  const int begin = out / (2 * run) * (2 * run), diagonal = out - begin;
  const unsigned *a = from + begin, *b = a + run;
  int low = max(0, diagonal - run), high = min(diagonal, run);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, k = diagonal - low;
  for (int step = 0; step < share; ++step) {
    const bool left = k >= run || (i < run && a[i] <= b[k]);
    to[out + step] = left ? a[i++] : b[k++];
  }
}

__global__ void sort_shares(unsigned *keys, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * share;
  if (first >= n) return;
  unsigned own[share];
#pragma unroll
  for (int i = 0; i < share; ++i) own[i] = keys[first + i];
#pragma unroll
  for (int round = 0; round < share; ++round)
#pragma unroll
    for (int i = round & 1; i + 1 < share; i += 2) {
      const unsigned a = min(own[i], own[i + 1]), b = max(own[i], own[i + 1]);
      own[i] = a;
      own[i + 1] = b;
    }
#pragma unroll
  for (int i = 0; i < share; ++i) keys[first + i] = own[i];
}

int main() {
  const int n = 1 << 20, blocks = n / share / 256;
  std::vector<unsigned> keys = numbers(n);
  unsigned *from = upload(keys), *to = room<unsigned>(n);
  sort_shares<<<blocks, 256>>>(from, n);
  for (int run = share; run < n; run *= 2) {
    merge<<<blocks, 256>>>(from, to, n, run);
    std::swap(from, to);
  }
  CHECK(cudaDeviceSynchronize());
  std::sort(keys.begin(), keys.end());
  return finish(download(from, n) == keys);
}
