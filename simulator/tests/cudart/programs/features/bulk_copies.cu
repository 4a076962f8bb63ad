// nvcc: -arch=sm_90
// Bulk copies of Hopper: tiles that one thread fetches, awaited at a barrier that counts bytes; and tiles
// that go back to global memory in bulk groups. Every sum is a whole number, so the host knows the results
// exactly.
#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>
#include <vector>

namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int tile = 1024, threads = 128;

/// Every block adds one to a tile: in by a bulk copy, out by a bulk copy.
__global__ void add_one(const int *in, int *out) {
  __shared__ alignas(128) int buffer[tile];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(buffer, in + blockIdx.x * tile, cuda::aligned_size_t<16>(sizeof buffer),
                                  barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof buffer);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < tile; i += threads) buffer[i] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * tile, buffer, sizeof buffer);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

/// One block sums many tiles through a ring of two buffers: the copy of the next tile overlaps with the sum
/// of this one.
__global__ void ring(const int *in, long long *sum, int tiles) {
  __shared__ alignas(128) int buffer[2][tile];
  __shared__ Barrier full[2];
  if (threadIdx.x == 0) {
    init(&full[0], blockDim.x), init(&full[1], blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token tokens[2];
  const auto fetch = [&](int t) {
    const int stage = t % 2;
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(buffer[stage], in + t * tile, cuda::aligned_size_t<16>(sizeof buffer[0]),
                                    full[stage]);
      tokens[stage] = cuda::device::barrier_arrive_tx(full[stage], 1, sizeof buffer[0]);
    } else {
      tokens[stage] = full[stage].arrive();
    }
  };
  fetch(0);
  long long mine = 0;
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) fetch(t + 1);
    full[t % 2].wait(std::move(tokens[t % 2]));
    for (int i = threadIdx.x; i < tile; i += threads) mine += buffer[t % 2][i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();  // the buffer may be filled again
  }
  atomicAdd(reinterpret_cast<unsigned long long *>(sum), static_cast<unsigned long long>(mine));
}

/// cuda::memcpy_async of a whole block: a bulk copy where sizes and addresses allow it.
__global__ void by_group(const int *in, int *out) {
  __shared__ alignas(128) int buffer[tile];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0)
    cuda::memcpy_async(buffer, in + blockIdx.x * tile, cuda::aligned_size_t<16>(sizeof buffer), barrier);
  barrier.arrive_and_wait();
  for (int i = threadIdx.x; i < tile; i += threads) out[blockIdx.x * tile + i] = 2 * buffer[tile - 1 - i];
}

/// One lane of each warp is elected, always the same one.
__global__ void elected(int *out) {
  int me = 0;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.s32 %0, 1, 0, p;\n}" : "=r"(me));
  const unsigned who = __ballot_sync(0xFFFFFFFFu, me);
  if (me) out[threadIdx.x / 32] = __popc(who);
}

int main() {
  constexpr int blocks = 8, n = blocks * tile;
  std::vector<int> in(n), got(n);
  for (int i = 0; i < n; ++i) in[i] = i * 7 % 1001 - 300;
  int *device_in, *device_out;
  long long *device_sum, sum = 0, expected = 0;
  cudaMalloc(&device_in, n * sizeof(int)), cudaMalloc(&device_out, n * sizeof(int)),
      cudaMalloc(&device_sum, sizeof sum);
  cudaMemcpy(device_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(device_sum, 0, sizeof sum);
  int wrong = 0;
  add_one<<<blocks, threads>>>(device_in, device_out);
  cudaMemcpy(got.data(), device_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += got[i] != in[i] + 1, expected += in[i];
  printf("add one: %d wrong\n", wrong);
  ring<<<1, threads>>>(device_in, device_sum, blocks);
  cudaMemcpy(&sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost);
  printf("ring: %s\n", sum == expected ? "right" : "wrong");
  wrong = 0;
  by_group<<<blocks, threads>>>(device_in, device_out);
  cudaMemcpy(got.data(), device_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += got[i] != 2 * in[i / tile * tile + tile - 1 - i % tile];
  printf("by group: %d wrong\n", wrong);
  elected<<<1, threads>>>(device_out);
  cudaMemcpy(got.data(), device_out, 4 * sizeof(int), cudaMemcpyDeviceToHost);
  printf("elected: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
