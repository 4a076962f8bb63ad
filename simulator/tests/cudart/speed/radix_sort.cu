// A million keys, four bits at a time: digits counted per block, scanned, and keys scattered stably.
#include <algorithm>

#include "speed.hpp"

constexpr int threads = 256, digits = 16;

__global__ void count(const unsigned *keys, unsigned *counts, int n, int shift) {
  __shared__ unsigned local[digits];
  if (threadIdx.x < digits) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) atomicAdd(&local[keys[i] >> shift & (digits - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < digits) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

__global__ void scan_blocks(unsigned *data, unsigned *sums, int n) {
  __shared__ unsigned part[1024];
  const int i = blockIdx.x * 1024 + threadIdx.x;
  const unsigned mine = i < n ? data[i] : 0;
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int step = 1; step < 1024; step *= 2) {
    const unsigned before = threadIdx.x >= step ? part[threadIdx.x - step] : 0;
    __syncthreads();
    part[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < n) data[i] = part[threadIdx.x] - mine;
  if (threadIdx.x == 1023 && sums) sums[blockIdx.x] = part[1023];
}

__global__ void add_sums(unsigned *data, const unsigned *sums, int n) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  if (i < n) data[i] += sums[blockIdx.x];
}

__global__ void scatter(const unsigned *keys, unsigned *sorted, const unsigned *starts, int n, int shift) {
  __shared__ unsigned warp_counts[threads / 32][digits];
  const int i = blockIdx.x * threads + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  for (int k = threadIdx.x; k < threads / 32 * digits; k += threads) (&warp_counts[0][0])[k] = 0;
  __syncthreads();
  const bool live = i < n;
  const unsigned key = live ? keys[i] : 0, digit = live ? key >> shift & (digits - 1) : digits;
  const unsigned same = __match_any_sync(~0u, digit);
  const unsigned rank = __popc(same & ((1u << lane) - 1));
  if (live && rank == 0) warp_counts[warp][digit] = __popc(same);
  __syncthreads();
  if (!live) return;
  unsigned before = starts[digit * gridDim.x + blockIdx.x];
  for (int w = 0; w < warp; ++w) before += warp_counts[w][digit];
  sorted[before + rank] = key;
}

int main() {
  const int n = 1 << 20, blocks = n / threads, cells = blocks * digits, parts = cells / 1024;
  std::vector<unsigned> keys = numbers(n);
  unsigned *from = upload(keys), *to = room<unsigned>(n);
  unsigned *counts = room<unsigned>(cells), *sums = room<unsigned>(parts);
  for (int shift = 0; shift < 16; shift += 4) {
    count<<<blocks, threads>>>(from, counts, n, shift);
    scan_blocks<<<parts, 1024>>>(counts, sums, cells);
    scan_blocks<<<1, 1024>>>(sums, nullptr, parts);
    add_sums<<<parts, 1024>>>(counts, sums, cells);
    scatter<<<blocks, threads>>>(from, to, counts, n, shift);
    std::swap(from, to);
  }
  CHECK(cudaDeviceSynchronize());
  std::stable_sort(keys.begin(), keys.end(),
                   [](unsigned a, unsigned b) { return (a & 0xFFFF) < (b & 0xFFFF); });
  return finish(download(from, n) == keys);
}
