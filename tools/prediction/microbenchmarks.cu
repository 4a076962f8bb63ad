// Measures what grader/predict/architectures.inc says about a compute capability, on the GPU here, in under a minute:
//
//   nvcc -O3 -arch=native -o microbenchmarks tools/prediction/microbenchmarks.cu && ./microbenchmarks
//
// prints each figure with what it was measured by. Latencies are in cycles, rates per multiprocessor and cycle.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "microbenchmarks: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

constexpr int steps = 4096;

// One thread follows a chain of indices; the loads depend on each other. It goes on where the last one ended.
__global__ void chase(const unsigned *next, long long *cycles, unsigned *sink, int warm) {
  unsigned at = *sink;
  for (int i = 0; i < warm; ++i) at = next[at];
  const long long begin = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) at = next[at];
  *cycles = clock64() - begin;
  *sink = at;
}

__global__ void chase_shared(long long *cycles, unsigned *sink) {
  __shared__ unsigned next[256];
  for (int i = 0; i < 256; ++i) next[i] = (i + 33) % 256;
  unsigned at = 0;
  const long long begin = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) at = next[at];
  *cycles = clock64() - begin;
  *sink = at;
}

__global__ void chain_fma(long long *cycles, float *sink, float x) {
  float sum = x;
  const long long begin = clock64();
#pragma unroll 64
  for (int i = 0; i < steps; ++i) sum = sum * x + x;
  *cycles = clock64() - begin;
  *sink = sum;
}

// Warps that fill a multiprocessor: eight independent sums each.
__global__ void many_fma(long long *cycles, float *sink, float x) {
  float sum[8];
  for (int j = 0; j < 8; ++j) sum[j] = x + j;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < steps; ++i)
    for (int j = 0; j < 8; ++j) sum[j] = sum[j] * x + x;
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  float all = 0;
  for (int j = 0; j < 8; ++j) all += sum[j];
  if (all == 12345.0f) *sink = all;
}

__global__ void many_shared(long long *cycles, float *sink) {
  __shared__ float words[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = i;
  __syncthreads();
  const long long begin = clock64();
  float sum = 0;
  const volatile float *mine = words + threadIdx.x % 32;
#pragma unroll 16
  for (int i = 0; i < steps; ++i) sum += mine[i % 32 * 32];
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  if (sum == 12345.0f) *sink = sum;
}

// Every block reads the same memory, which L2 holds, past the first-level cache.
__global__ void read_all(const float4 *from, std::size_t count, int times, float *sink) {
  float sum = 0;
  const std::size_t all = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (int t = 0; t < times; ++t)
#pragma unroll 4
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += all) {
      const float4 v = __ldcg(from + i);
      sum += v.x + v.y + v.z + v.w;
    }
  if (sum == 12345.0f) *sink = sum;
}

__global__ void nothing() {}

/// A random cycle through `bytes`, one element for each 128 bytes.
std::vector<unsigned> cycle_of(std::size_t bytes) {
  const std::size_t stride = 128 / sizeof(unsigned), count = bytes / 128;
  std::vector<unsigned> order(count), next(bytes / sizeof(unsigned));
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  for (std::size_t i = 0; i < count; ++i)
    next[order[i] * stride] = static_cast<unsigned>(order[(i + 1) % count] * stride);
  return next;
}

template <class Run>
double least_ms(const Run &run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "an event");
  check(cudaEventCreate(&end), "an event");
  double least = 1e9;
  for (int i = 0; i < 9; ++i) {
    check(cudaEventRecord(begin), "an event");
    run();
    check(cudaEventRecord(end), "an event");
    check(cudaEventSynchronize(end), "a kernel");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "a time");
    least = std::min(least, static_cast<double>(ms));
  }
  return least;
}

}  // namespace

int main() {
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, 0), "the GPU");
  long long *cycles = nullptr;
  unsigned *sink = nullptr;
  check(cudaMallocManaged(&cycles, sizeof *cycles), "memory");
  check(cudaMallocManaged(&sink, sizeof *sink), "memory");
  const auto each = [&](const char *what, double operations, auto &&run) {
    double least = 1e30;
    for (int i = 0; i < 5; ++i) {
      run();
      check(cudaDeviceSynchronize(), what);
      least = std::min(least, static_cast<double>(*cycles));
    }
    return least / operations;
  };
  std::printf("%s: compute capability %d.%d, %d multiprocessors, %d KiB of shared memory each, L2 %d MiB\n", gpu.name,
              gpu.major, gpu.minor, gpu.multiProcessorCount, static_cast<int>(gpu.sharedMemPerMultiprocessor >> 10),
              gpu.l2CacheSize >> 20);
  float *const floats = reinterpret_cast<float *>(sink);
  std::printf("fma latency      %7.1f  a chain of FFMAs in one thread\n",
              each("a chain", steps, [&] { chain_fma<<<1, 1>>>(cycles, floats, 1.0f); }));
  std::printf("shared latency   %7.1f  a chain of loads from shared memory\n",
              each("a chain", steps, [&] { chase_shared<<<1, 1>>>(cycles, sink); }));
  const auto chain = [&](std::size_t bytes, int warm) {
    const std::vector<unsigned> next = cycle_of(bytes);
    unsigned *there = nullptr;
    check(cudaMalloc(&there, bytes), "memory");
    check(cudaMemcpy(there, next.data(), bytes, cudaMemcpyHostToDevice), "a copy");
    *sink = 0;
    const double latency = each("a chain", steps, [&] { chase<<<1, 1>>>(there, cycles, sink, warm); });
    check(cudaFree(there), "memory");
    return latency;
  };
  std::printf("l1 latency       %7.1f  a chain through 16 KiB, read before\n", chain(16 << 10, 256));
  std::printf("l2 latency       %7.1f  a chain through 2 MiB, read before\n", chain(2 << 20, 1 << 14));
  const std::size_t large = std::max<std::size_t>(512 << 20, std::size_t{8} * gpu.l2CacheSize);
  std::printf("dram latency     %7.1f  a chain through %zu MiB, which no cache holds\n", chain(large, 0), large >> 20);
  constexpr double warps = 32;
  std::printf("fp32             %7.2f  warp instructions, %d warps of independent FFMAs\n",
              1 / each("FFMAs", warps * steps * 8, [&] { many_fma<<<1, 1024>>>(cycles, floats, 1.0f); }), 32);
  std::printf("wavefronts       %7.2f  32 warps that load 128 bytes of shared memory at a time\n",
              1 / each("loads", warps * steps, [&] { many_shared<<<1, 1024>>>(cycles, floats); }));
  const auto bandwidth = [&](std::size_t bytes, int times) {
    float4 *from = nullptr;
    check(cudaMalloc(&from, bytes), "memory");
    check(cudaMemset(from, 0, bytes), "memory");
    const int blocks = 8 * gpu.multiProcessorCount;
    const double ms = least_ms([&] { read_all<<<blocks, 256>>>(from, bytes / sizeof(float4), times, floats); });
    check(cudaGetLastError(), "a kernel");
    check(cudaFree(from), "memory");
    return static_cast<double>(bytes) * times / ms * 1e3;
  };
  // A known number of cycles in a known time: the clock under load.
  const double busy_ms = least_ms([&] {
    for (int i = 0; i < 64; ++i) many_fma<<<gpu.multiProcessorCount, 1024>>>(cycles, floats, 1.0f);
  });
  check(cudaDeviceSynchronize(), "FFMAs");
  const double clock_mhz = static_cast<double>(*cycles) * 64 / busy_ms / 1e3;
  std::printf("clock            %7.0f  MHz at least, all multiprocessors busy with FFMAs\n", clock_mhz);
  std::printf("l2 bytes         %7.1f  all multiprocessors read 8 MiB again and again\n",
              bandwidth(8 << 20, 64) / (clock_mhz * 1e6) / gpu.multiProcessorCount);
  std::printf("dram             %7.0f  GB/s, 2 GiB read once\n", bandwidth(std::size_t{2} << 30, 1) / 1e9);
  std::printf("launch           %7.2f  us, an empty kernel between two events\n",
              1e3 * least_ms([] { nothing<<<1, 1>>>(); }));
  return 0;
}
