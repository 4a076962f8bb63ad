// Kernels that measure a GPU, one property each. The host takes times of several lengths: the slope is what
// one step costs, without the cost of starting. Only our own code runs in this module.
#include <mma.h>

#include "gpu/probe_kernels.hpp"

namespace {

using warpgrade::gpu::ProbeArguments;
using warpgrade::gpu::ProbeReading;

/// Steps that are unrolled, so that the loop itself costs little; host lengths are multiples of it.
constexpr int chained = 128;
constexpr int loaded = 16;
constexpr int sums = 8;  ///< independent results of a thread

__device__ ProbeReading *reading(const ProbeArguments &a) {
  return reinterpret_cast<ProbeReading *>(a.reading);
}

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Keeps the compiler from leaving out what led to a value.
template <typename T>
__device__ void keep(const ProbeArguments &a, T value) {
  if (value == T(1234567)) reading(a)->at = 0;
}

template <int unrolled, typename Step>
__device__ void timed(const ProbeArguments &a, const Step &step) {
  __syncthreads();
  const std::uint64_t begin_time = nanoseconds();
  const long long begin = clock64();
#pragma unroll 1
  for (std::uint32_t i = 0; i < a.steps; i += unrolled) {
#pragma unroll
    for (int j = 0; j < unrolled; ++j) step();
  }
  __syncthreads();
  const long long cycles = clock64() - begin;
  const std::uint64_t time = nanoseconds() - begin_time;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    reading(a)->cycles = cycles;
    reading(a)->nanoseconds = time;
  }
}

__device__ void fma(float &x, float y) {
  asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
}
__device__ void fma(double &x, double y) {
  asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(y));
}
/// Two operations that no compiler makes one of.
__device__ void add_and_flip(int &x, int y) {
  asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(y));
  asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
__device__ void exponential(float &x) {
  asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
}

template <typename T, typename Step>
__device__ void chain(const ProbeArguments &a, const Step &step) {
  T x = static_cast<T>(a.one);
  timed<chained>(a, [&] { step(x); });
  keep(a, x);
}

template <typename T, typename Step>
__device__ void many(const ProbeArguments &a, const Step &step) {
  T x[sums];
  for (int j = 0; j < sums; ++j) x[j] = static_cast<T>(a.one) + static_cast<T>(j);
  timed<256 / sums>(a, [&] {
#pragma unroll
    for (int j = 0; j < sums; ++j) step(x[j]);
  });
  T all = x[0];
  for (int j = 1; j < sums; ++j) all += x[j];
  keep(a, all);
}

/// From one address to the one that is there.
template <typename Load>
__device__ void follow(const ProbeArguments &a, const Load &load) {
  std::uint64_t at = reading(a)->at;
  for (std::uint32_t i = 0; i < a.warm; ++i) load(at);
  timed<loaded>(a, [&] { load(at); });
  reading(a)->at = at;
}

template <int number>
__device__ void multiply(const ProbeArguments &a) {
#if __CUDA_ARCH__ >= 700
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[number];
  wmma::fill_fragment(x, __float2half(a.one));
  wmma::fill_fragment(y, __float2half(a.one));
  for (int j = 0; j < number; ++j) wmma::fill_fragment(sum[j], static_cast<float>(j));
  timed<loaded>(a, [&] {
#pragma unroll
    for (int j = 0; j < number; ++j) wmma::mma_sync(sum[j], x, y, sum[j]);
  });
  for (int j = 0; j < number; ++j)
    for (int i = 0; i < sum[j].num_elements; ++i) keep(a, sum[j].x[i]);
#endif
}

}  // namespace

extern "C" {

__global__ void probe_chain_fp32(ProbeArguments a) {
  chain<float>(a, [&](float &x) { fma(x, a.one); });
}
__global__ void probe_chain_fp64(ProbeArguments a) {
  chain<double>(a, [&](double &x) { fma(x, a.one); });
}
__global__ void probe_chain_integer(ProbeArguments a) {
  const int y = static_cast<int>(a.one);
  chain<int>(a, [&](int &x) { add_and_flip(x, y); });
}
__global__ void probe_chain_special(ProbeArguments a) {
  chain<float>(a, [](float &x) { exponential(x); });
}
__global__ void probe_chain_tensor(ProbeArguments a) {
  multiply<1>(a);
}

__global__ void __launch_bounds__(1024) probe_many_fp32(ProbeArguments a) {
  many<float>(a, [&](float &x) { fma(x, a.one); });
}
__global__ void __launch_bounds__(1024) probe_many_fp64(ProbeArguments a) {
  many<double>(a, [&](double &x) { fma(x, a.one); });
}
__global__ void __launch_bounds__(1024) probe_many_integer(ProbeArguments a) {
  const int y = static_cast<int>(a.one);
  many<int>(a, [&](int &x) { add_and_flip(x, y); });
}
__global__ void __launch_bounds__(1024) probe_many_special(ProbeArguments a) {
  many<float>(a, [](float &x) { exponential(x); });
}
__global__ void __launch_bounds__(512) probe_many_tensor(ProbeArguments a) {
  multiply<4>(a);
}
/// Twice as many FFMAs as integer operations: no pipe of any generation is in the way of another.
__global__ void __launch_bounds__(1024) probe_many_issued(ProbeArguments a) {
  float x[sums];
  int n[sums / 2];
  const int y = static_cast<int>(a.one);
  for (int j = 0; j < sums; ++j) x[j] = a.one + static_cast<float>(j);
  for (int j = 0; j < sums / 2; ++j) n[j] = y + j;
  timed<16>(a, [&] {
#pragma unroll
    for (int j = 0; j < sums / 2; ++j) {
      fma(x[2 * j], a.one);
      asm volatile("add.s32 %0, %0, %1;" : "+r"(n[j]) : "r"(y));
      fma(x[2 * j + 1], a.one);
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(n[j]) : "r"(y));
    }
  });
  float all = 0;
  for (int j = 0; j < sums; ++j) all += x[j] + static_cast<float>(n[j / 2]);
  keep(a, all);
}

/// 128 bytes for each warp and load, without bank conflicts.
__global__ void __launch_bounds__(1024) probe_many_shared(ProbeArguments a) {
  __shared__ float words[sums * 32];
  if (threadIdx.x < sums * 32) words[threadIdx.x] = a.one;
  __syncthreads();
  const volatile float *mine = words + threadIdx.x % 32;
  float x[sums] = {};
  timed<loaded>(a, [&] {
#pragma unroll
    for (int j = 0; j < sums; ++j) x[j] += mine[32 * j];
  });
  float all = 0;
  for (int j = 0; j < sums; ++j) all += x[j];
  keep(a, all);
}

__global__ void probe_chain_shared(ProbeArguments a) {
  __shared__ std::uint32_t next[256];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(next));
  for (int i = 0; i < 256; ++i) next[i] = base + 4 * ((i + 33) % 256);
  std::uint32_t at = base;
  timed<loaded>(a, [&] { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory"); });
  keep(a, at);
}
__global__ void probe_chain_l1(ProbeArguments a) {
  follow(a, [](std::uint64_t &at) { asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory"); });
}
/// Past the first-level cache.
__global__ void probe_chain_l2(ProbeArguments a) {
  follow(a, [](std::uint64_t &at) { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory"); });
}

/// One cycle through all lines, in an order that no cache guesses. Their number is a power of two (Hull and
/// Dobell, 1962).
__global__ void probe_link(ProbeArguments a) {
  const std::uint64_t lines = a.bytes / warpgrade::gpu::probe_line,
                      all = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < lines; i += all) {
    const std::uint64_t next = (i * 1664525 + 1013904223) % lines;
    *reinterpret_cast<std::uint64_t *>(a.from + i * warpgrade::gpu::probe_line) =
        a.from + next * warpgrade::gpu::probe_line;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) reading(a)->at = a.from;
}

/// All blocks together read the memory `steps` times, past the first-level cache.
__global__ void __launch_bounds__(1024) probe_read(ProbeArguments a) {
  const auto *from = reinterpret_cast<const float4 *>(a.from);
  const std::size_t count = a.bytes / sizeof(float4), all = std::size_t{gridDim.x} * blockDim.x;
  float sum = 0;
  timed<1>(a, [&] {
#pragma unroll 4
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
      const float4 v = __ldcg(from + i);
      sum += v.x + v.y + v.z + v.w;
    }
  });
  keep(a, sum);
}
__global__ void __launch_bounds__(1024) probe_copy(ProbeArguments a) {
  const auto *from = reinterpret_cast<const float4 *>(a.from);
  auto *to = reinterpret_cast<float4 *>(a.to);
  const std::size_t count = a.bytes / sizeof(float4), all = std::size_t{gridDim.x} * blockDim.x;
  timed<1>(a, [&] {
#pragma unroll 4
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all)
      to[i] = __ldcg(from + i);
  });
}

/// Each thread adds to a word of its own, or all to the same where there is only one.
__global__ void probe_atomics(ProbeArguments a) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t word = a.from + thread * 4 % a.bytes;
  timed<loaded>(a, [&] { asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word), "r"(1) : "memory"); });
}

__global__ void probe_barrier(ProbeArguments a) {
  timed<loaded>(a, [] { asm volatile("bar.sync 0;" ::: "memory"); });
}

__global__ void probe_nothing(ProbeArguments) {}

}  // extern "C"
