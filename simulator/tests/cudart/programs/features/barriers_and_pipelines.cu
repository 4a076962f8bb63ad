// How libcu++ synchronises threads in part: a barrier that is split in two, producers and consumers, pipelines
// of the block, of roles and of one thread, copies that a barrier counts, threads that leave, a function that
// runs at the end of each phase.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <new>
#include <type_traits>

#include "../check.hpp"

#pragma nv_diag_suppress static_var_with_dynamic_init  // they are initialised by hand

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// Between its arrival and its wait, a thread does what no other looks at.
__global__ void split(int *out, int rounds) {
  __shared__ block_barrier bar;
  __shared__ int x[2][256];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  int v = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    x[r & 1][threadIdx.x] = v;
    auto token = bar.arrive();
    int extra = r * 3;
    bar.wait(std::move(token));
    v = x[r & 1][(threadIdx.x + 37) % 256] + extra;
  }
  out[threadIdx.x] = v;
}
// One warp fills two buffers in turn, and another empties them.
__global__ void spatial(int *out, const int *in, int n) {
  __shared__ block_barrier bar[4];  // ready 0,1 ; filled 2,3
  __shared__ int buffer[2][32];
  auto block = cg::this_thread_block();
  if (block.thread_rank() < 4) init(&bar[block.thread_rank()], block.size());
  block.sync();
  if (block.thread_rank() < 32) {
    for (int i = 0; i < n / 32; ++i) {
      bar[i % 2].arrive_and_wait();
      buffer[i % 2][threadIdx.x] = in[i * 32 + threadIdx.x] * 2;
      (void)bar[2 + i % 2].arrive();
    }
  } else {
    auto t1 = bar[0].arrive();
    auto t2 = bar[1].arrive();
    (void)t1;
    (void)t2;
    for (int i = 0; i < n / 32; ++i) {
      bar[2 + i % 2].arrive_and_wait();
      if (threadIdx.x < 64) out[i * 32 + threadIdx.x - 32] = buffer[i % 2][threadIdx.x - 32];
      (void)bar[i % 2].arrive();
    }
  }
}
// All threads copy ahead as far as there are stages.
template <int stages>
__global__ void staged(int *out, const int *in, int batches) {
  __shared__ int data[stages][256];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int c = 0, f = 0; c < batches; ++c) {
    for (; f < batches && f < c + stages; ++f) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, data[f % stages], in + f * 256, sizeof(int) * 256, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += data[c % stages][255 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
// Half of the threads copy, the others add.
__global__ void roles(int *out, const int *in, int batches) {
  constexpr int stages = 2;
  __shared__ int data[stages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  const auto role = block.thread_rank() < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int b = 0; b < batches; ++b) {
      pipe.producer_acquire();
      for (int i = threadIdx.x; i < 128; i += 64)
        cuda::memcpy_async(&data[b % stages][i], in + b * 128 + i, cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int b = 0; b < batches; ++b) {
      pipe.consumer_wait();
      for (int i = threadIdx.x - 64; i < 128; i += 64) sum += data[b % stages][127 - i];
      pipe.consumer_release();
    }
    out[threadIdx.x - 64] = sum;
  }
}
// The copies of a cooperative group.
__global__ void cgcopy(int *out, const int *in) {
  __shared__ int data[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, data, in, sizeof(int) * 256);
  cg::wait(block);
  out[threadIdx.x] = data[255 - threadIdx.x];
  block.sync();
  cg::memcpy_async(block, data, in + 256, sizeof(int) * 256);
  cg::wait(block);
  out[threadIdx.x] += data[(threadIdx.x + 1) % 256];
}
// Copies that the phase of a barrier counts.
__global__ void barcopy(int *out, const int *in) {
  __shared__ int data[2][128];
  __shared__ block_barrier bar;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  block.sync();
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    cuda::memcpy_async(block, data[i & 1], in + 128 * i, sizeof(int) * 128, bar);
    bar.arrive_and_wait();
    sum += data[i & 1][127 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
// A warp arrives for good and returns.
__global__ void leaves(int *out) {
  __shared__ block_barrier bar;
  __shared__ int x[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x >= 96) {
    x[threadIdx.x] = 5;
    bar.arrive_and_drop();
    return;
  }
  x[threadIdx.x] = threadIdx.x;
  bar.arrive_and_wait();
  int v = x[127 - threadIdx.x];
  bar.arrive_and_wait();
  x[threadIdx.x] = v;
  bar.arrive_and_wait();
  out[threadIdx.x] = x[95 - threadIdx.x];
}
struct Done {
  int *n;
  __device__ void operator()() noexcept { atomicAdd(n, 1); }
};
__global__ void completes(int *out) {
  __shared__ int count;
  __shared__ std::aligned_storage_t<sizeof(cuda::barrier<cuda::thread_scope_block, Done>),
                                    alignof(cuda::barrier<cuda::thread_scope_block, Done>)>
      room;
  auto *bar = reinterpret_cast<cuda::barrier<cuda::thread_scope_block, Done> *>(&room);
  if (threadIdx.x == 0) {
    count = 0;
    new (bar) cuda::barrier<cuda::thread_scope_block, Done>(blockDim.x, Done{&count});
  }
  __syncthreads();
  for (int i = 0; i < 3; ++i) bar->arrive_and_wait();
  if (threadIdx.x == 7) out[0] = count;
}
// A pipeline of each thread, with barriers of the block around it.
__global__ void own(int *out, const int *in, int batches) {
  __shared__ int data[2][128];
  auto pipe = cuda::make_pipeline();
  int sum = 0;
  auto fetch = [&](int b) {
    pipe.producer_acquire();
    cuda::memcpy_async(&data[b & 1][threadIdx.x], in + b * 128 + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
  };
  fetch(0);
  for (int b = 0; b < batches; ++b) {
    if (b + 1 < batches) fetch(b + 1);
    if (b + 1 < batches)
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    else
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    sum += data[b & 1][127 - threadIdx.x];
    pipe.consumer_release();
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// The sum of a result's elements, each times its place.
static void show(const char *name, const int *out, int count) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  long long sum = 0;
  for (int i = 0; i < count; ++i) sum += (i + 1LL) * out[i];
  std::printf("%s %lld\n", name, sum);
}

int main() {
  constexpr int words = 1 << 14;
  int *in, *out;
  CHECK(cudaMallocManaged(&in, words * sizeof(int)));
  CHECK(cudaMallocManaged(&out, words * sizeof(int)));
  for (int i = 0; i < words; ++i) in[i] = i * 7 % 1001;
  split<<<1, 256>>>(out, 5), show("split", out, 256);
  spatial<<<1, 128>>>(out, in, 512), show("producer and consumers", out, 512);
  staged<2><<<1, 256>>>(out, in, 10), show("two stages", out, 256);
  staged<4><<<1, 256>>>(out, in, 10), show("four stages", out, 256);
  roles<<<1, 128>>>(out, in, 9), show("roles", out, 64);
  cgcopy<<<1, 256>>>(out, in), show("copies of a group", out, 256);
  barcopy<<<1, 128>>>(out, in), show("copies of a barrier", out, 128);
  leaves<<<1, 128>>>(out), show("leaving", out, 96);
  completes<<<1, 64>>>(out), show("phases", out, 1);
  own<<<1, 128>>>(out, in, 8), show("own copies", out, 128);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}
