// What `gradebook calibrate --machine` does not measure, for the model of kernels that move data. Prints
// probe,parameter,value rows. Each kernel follows a flush of the L2 cache where its name says cold.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

void check(cudaError_t e) {
  if (e != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(e)), std::exit(1);
}

char *flush_buffer;
constexpr std::size_t flush_bytes = std::size_t{128} << 20;
cudaEvent_t begin_event, end_event;

double us(const std::function<void()> &launch, int flushes = 16, int runs = 11) {
  std::vector<float> times;
  for (int i = 0; i < runs; ++i) {
    for (int k = 0; k < flushes; ++k) cudaMemsetAsync(flush_buffer, 0x5a, flush_bytes);
    cudaEventRecord(begin_event);
    launch();
    cudaEventRecord(end_event);
    check(cudaEventSynchronize(end_event));
    float ms = 0;
    cudaEventElapsedTime(&ms, begin_event, end_event);
    times.push_back(ms);
  }
  check(cudaGetLastError());
  std::sort(times.begin() + 2, times.end());
  return 1000 * times[2 + (runs - 2) / 2];
}

template <typename V>
__device__ unsigned fold(const V &v) {
  unsigned all = 0;
#pragma unroll
  for (std::size_t i = 0; i < sizeof(V) / 4; ++i) all |= reinterpret_cast<const unsigned *>(&v)[i];
  return all;
}

// Each warp has exactly DEPTH loads of V words a lane in flight: the next ones are only asked for when all are there. Each
// block goes through its own part of the array, warps side by side.
template <int DEPTH, typename V>
__global__ void in_flight(std::size_t vectors, const V *x, unsigned *out, bool store, V *y) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (; i + (DEPTH - 1) * threads < vectors; i += DEPTH * threads) {
    V v[DEPTH];
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) v[k] = x[i + k * threads];
    unsigned all = 0;
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) all |= fold(v[k]);
    sum += all;
    if (all == 0xffffffff) i += 1;  // never: but only when all are there is this known
    if (store) {
#pragma unroll
      for (int k = 0; k < DEPTH; ++k) y[i + k * threads] = v[k];
    }
  }
  if (sum == 0x12345678) *out = sum;
}

template <int DEPTH, typename V>
void bandwidth(const char *name, const V *x, V *y, std::size_t bytes, unsigned *out, bool store,
               int blocks_per_sm, int threads) {
  const double t =
      us([&] { in_flight<DEPTH, V><<<132 * blocks_per_sm, threads>>>(bytes / sizeof(V), x, out, store, y); });
  std::printf("%s,depth=%d vector=%d blocks=%d threads=%d in_flight=%d MiB=%d,%.2f\n", name, DEPTH,
              (int)sizeof(V), blocks_per_sm, threads, DEPTH * (int)sizeof(V) * threads * blocks_per_sm,
              (int)(bytes >> 20), t);
}

// One element a thread, all blocks different.
template <int EACH, typename V>
__global__ void one_each(const V *x, unsigned *out, bool store, V *y) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x * EACH + threadIdx.x;
  V v[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) v[k] = x[i + k * blockDim.x];
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    if (store)
      y[i + k * blockDim.x] = v[k];
    else if (fold(v[k]) == 0x12345678)
      *out = 1;
  }
}
template <int EACH, typename V>
void short_blocks(const char *name, const V *x, V *y, std::size_t bytes, unsigned *out, bool store,
                  int threads) {
  const double t =
      us([&] { one_each<EACH, V><<<bytes / sizeof(V) / threads / EACH, threads>>>(x, out, store, y); });
  std::printf("%s,each=%d vector=%d threads=%d MiB=%d,%.2f\n", name, EACH, (int)sizeof(V), threads,
              (int)(bytes >> 20), t);
}

__global__ void empty(unsigned *out) {
  if (threadIdx.x > 5000) *out = 1;
}
__global__ void with_shared(unsigned *out) {
  extern __shared__ unsigned own[];
  if (threadIdx.x == 0) own[0] = 1;
  if (threadIdx.x > 5000) *out = own[0];
}
__global__ void with_barriers(unsigned *out, int times) {
  for (int i = 0; i < times; ++i) __syncthreads();
  if (threadIdx.x > 5000) *out = 1;
}

// Cycles for each atomic of a warp: places[k] = the lane's word, of which each warp has several patterns.
template <bool RETURNS>
__global__ void shared_atomics(int times, const unsigned short *places, int patterns, long long *cycles,
                               unsigned *out) {
  __shared__ unsigned own[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) own[i] = 0;
  __syncthreads();
  unsigned at[8], sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) at[k] = places[(blockIdx.x * blockDim.x + k * 1024 + threadIdx.x) % patterns];
  const long long begin = clock64();
  for (int i = 0; i < times; i += 8) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (RETURNS)
        sum += atomicAdd(&own[at[k]], sum > 1000000000u ? 2u : 3u);
      else
        atomicAdd(&own[at[k]], 1u);
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
  if (sum == 0x12345) *out = own[sum % 64];
}
__global__ void shared_float_atomics(int times, const unsigned short *places, int patterns, long long *cycles,
                                     unsigned *out) {
  __shared__ float own[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) own[i] = 0;
  __syncthreads();
  unsigned at[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) at[k] = places[(blockIdx.x * blockDim.x + k * 1024 + threadIdx.x) % patterns];
  const long long begin = clock64();
  for (int i = 0; i < times; i += 8) {
#pragma unroll
    for (int k = 0; k < 8; ++k) atomicAdd(&own[at[k]], 1.0f);
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
  if (own[at[0]] == 0.5f) *out = 1;
}

template <typename T>
__global__ void global_atomics(int times, const unsigned *places, T *words) {
  const std::size_t t = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int i = 0; i < times; ++i)
    atomicAdd(&words[places[(t + static_cast<std::size_t>(i) * gridDim.x * blockDim.x) & ((1u << 22) - 1)]],
              T(1));
}
// The first lane of each block adds to one word, as sums of blocks do.
__global__ void block_atomics(float *words) {
  if (threadIdx.x == 0) atomicAdd(words, 1.0f);
}

__global__ void exponentials(int times, long long *cycles, float *out) {
  float v[4] = {threadIdx.x * 1e-3f, threadIdx.x * 2e-3f, threadIdx.x * 3e-3f, threadIdx.x * 4e-3f};
  const long long begin = clock64();
  for (int i = 0; i < times; ++i)
#pragma unroll
    for (float &x : v) x = expf(x - 0.5f);
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
  if (v[0] + v[1] + v[2] + v[3] == 0.125f) *out = v[0];
}

int main() {
  check(cudaMalloc(&flush_buffer, flush_bytes));
  cudaEventCreate(&begin_event), cudaEventCreate(&end_event);
  for (int k = 0; k < 400; ++k) cudaMemsetAsync(flush_buffer, 0x5a, flush_bytes);
  unsigned *out;
  check(cudaMalloc(&out, 1 << 20));
  long long *cycles;
  check(cudaMalloc(&cycles, 1 << 16));
  const std::size_t large = std::size_t{256} << 20;
  char *x, *y;
  check(cudaMalloc(&x, large)), check(cudaMalloc(&y, large));
  cudaMemset(x, 1, large), cudaMemset(y, 1, large);
  std::printf("probe,parameters,value\n");
  const std::size_t some = std::size_t{64} << 20;
  auto *f = reinterpret_cast<float *>(x), *g = reinterpret_cast<float *>(y);
  auto *f4 = reinterpret_cast<float4 *>(x), *g4 = reinterpret_cast<float4 *>(y);
  for (const bool store : {false, true}) {
    const char *const name = store ? "cold copy us" : "cold read us";
    for (const std::size_t bytes : {some, large})
      for (const int threads : {128, 256, 512, 1024})
        for (const int blocks : {1, 2, 4, 8}) {
          if (threads * blocks > 2048 || (bytes == large && threads != 256)) continue;
          bandwidth<1, float>(name, f, g, bytes, out, store, blocks, threads);
          if (threads == 256) bandwidth<2, float>(name, f, g, bytes, out, store, blocks, threads);
          bandwidth<4, float>(name, f, g, bytes, out, store, blocks, threads);
          if (threads == 256) bandwidth<8, float>(name, f, g, bytes, out, store, blocks, threads);
          if (threads == 256) bandwidth<1, float4>(name, f4, g4, bytes, out, store, blocks, threads);
          if (threads == 256) bandwidth<4, float4>(name, f4, g4, bytes, out, store, blocks, threads);
        }
    const char *const one = store ? "cold short copy us" : "cold short read us";
    for (const std::size_t bytes : {some / 16, some / 4, some, large}) {
      for (const int threads : {64, 128, 256, 512, 1024}) {
        short_blocks<1, float>(one, f, g, bytes, out, store, threads);
        if (threads == 256) short_blocks<2, float>(one, f, g, bytes, out, store, threads);
        if (threads == 256) short_blocks<4, float>(one, f, g, bytes, out, store, threads);
        if (threads == 256) short_blocks<8, float>(one, f, g, bytes, out, store, threads);
        if (threads == 256) short_blocks<16, float>(one, f, g, bytes, out, store, threads);
        if (threads == 256) short_blocks<1, float4>(one, f4, g4, bytes, out, store, threads);
        if (threads == 256) short_blocks<4, float4>(one, f4, g4, bytes, out, store, threads);
      }
    }
  }
  for (const int threads : {32, 64, 128, 256, 512, 1024})
    for (const int blocks : {132, 1320, 13200, 132000}) {
      std::printf("empty us,threads=%d blocks=%d,%.2f\n", threads, blocks,
                  us([&] { empty<<<blocks, threads>>>(out); }, 1));
      if (blocks == 132000)
        for (const int shared : {128, 1024, 8192})
          std::printf("shared us,threads=%d blocks=%d shared=%d,%.2f\n", threads, blocks, shared,
                      us([&] { with_shared<<<blocks, threads, shared>>>(out); }, 1));
    }
  for (const int n : {1, 2, 4, 8, 16, 32})
    std::printf("launches us,kernels=%d,%.2f\n", n, us([&] {
                  for (int k = 0; k < n; ++k) empty<<<132, 256>>>(out);
                }));
  std::printf("launches us,memset then kernel,%.2f\n", us([&] {
                cudaMemsetAsync(out, 0, 4);
                empty<<<132, 256>>>(out);
              }));
  std::printf("launches us,memset of 512 KiB then kernel,%.2f\n", us([&] {
                cudaMemsetAsync(out, 0, 1 << 19);
                empty<<<132, 256>>>(out);
              }));
  std::printf("launches us,two memsets then kernel,%.2f\n", us([&] {
                cudaMemsetAsync(out, 0, 4), cudaMemsetAsync(out + 64, 0, 4);
                empty<<<132, 256>>>(out);
              }));
  std::printf("launches us,copy of 100 bytes then kernel,%.2f\n", us([&] {
                cudaMemcpyAsync(out, x, 100, cudaMemcpyDeviceToDevice);
                empty<<<132, 256>>>(out);
              }));
  std::printf("launches us,memset alone,%.2f\n", us([&] { cudaMemsetAsync(out, 0, 4); }));
  std::printf("launches us,nothing,%.2f\n", us([] {}));
  std::printf("launches us,1 block of 256,%.2f\n", us([&] { empty<<<1, 256>>>(out); }));

  unsigned short *places;
  check(cudaMalloc(&places, 1 << 17));
  for (const int bins : {1, 2, 4, 8, 16, 32, 64, 256, 1024, 4096, -1}) {
    std::vector<unsigned short> host(1 << 16);
    unsigned s = 12345;
    for (std::size_t i = 0; i < host.size(); ++i) {
      s = s * 1664525u + 1013904223u;
      host[i] =
          static_cast<unsigned short>(bins < 0 ? i % 32 : (static_cast<std::uint64_t>(s >> 4) * bins) >> 28);
    }
    check(cudaMemcpy(places, host.data(), 1 << 17, cudaMemcpyHostToDevice));
    for (const int threads : {32, 256, 1024}) {
      const auto cycles_of = [&](auto kernel) {
        kernel<<<132, threads>>>(512, places, 1 << 16, cycles, out);
        kernel<<<132, threads>>>(512, places, 1 << 16, cycles, out);
        std::vector<long long> all(132);
        check(cudaMemcpy(all.data(), cycles, 132 * 8, cudaMemcpyDeviceToHost));
        std::nth_element(all.begin(), all.begin() + 66, all.end());
        return static_cast<double>(all[66]) / 512 / (threads / 32);
      };
      std::printf("shared atomic cycles for a warp,bins=%d threads=%d without result,%.2f\n", bins, threads,
                  cycles_of(shared_atomics<false>));
      std::printf("shared atomic cycles for a warp,bins=%d threads=%d with result,%.2f\n", bins, threads,
                  cycles_of(shared_atomics<true>));
      std::printf("shared atomic cycles for a warp,bins=%d threads=%d float,%.2f\n", bins, threads,
                  cycles_of(shared_float_atomics));
    }
  }
  unsigned *where;
  check(cudaMalloc(&where, std::size_t{16} << 20));
  for (const int bins : {1, 8, 64, 256, 1024, 4096, 65536, 1 << 20, -1, -2}) {
    std::vector<unsigned> host(1 << 22);
    unsigned s = 12345;
    for (std::size_t i = 0; i < host.size(); ++i) {
      s = s * 1664525u + 1013904223u;
      host[i] = bins == -1   ? i
                : bins == -2 ? i % 256
                             : static_cast<unsigned>((static_cast<std::uint64_t>(s >> 4) * bins) >> 28);
    }
    check(cudaMemcpy(where, host.data(), std::size_t{16} << 20, cudaMemcpyHostToDevice));
    std::printf(
        "global atomics us for 4194304,bins=%d unsigned,%.2f\n", bins,
        us([&] { global_atomics<unsigned><<<2048, 256>>>(8, where, reinterpret_cast<unsigned *>(y)); }, 1,
           5));
    std::printf(
        "global atomics us for 4194304,bins=%d float,%.2f\n", bins,
        us([&] { global_atomics<float><<<2048, 256>>>(8, where, reinterpret_cast<float *>(y)); }, 1, 5));
  }
  for (const int blocks : {1024, 8192, 65536})
    std::printf("atomics of blocks us,blocks=%d,%.2f\n", blocks,
                us([&] { block_atomics<<<blocks, 256>>>(g); }, 1));
  for (const int blocks : {8192, 65536})
    std::printf("barriers us,blocks=%d threads=256 times=16,%.2f\n", blocks,
                us([&] { with_barriers<<<blocks, 256>>>(out, 16); }, 1));
  for (const int threads : {32, 256, 1024}) {
    for (int k = 0; k < 2; ++k) exponentials<<<132, threads>>>(256, cycles, reinterpret_cast<float *>(out));
    long long all[132];
    check(cudaMemcpy(all, cycles, sizeof all, cudaMemcpyDeviceToHost));
    std::printf("expf cycles for a warp,threads=%d,%.2f\n", threads,
                static_cast<double>(all[66]) / 1024 / (threads / 32));
  }
}
