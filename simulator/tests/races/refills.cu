// Places that ordinary loads read and bulk copies fill again, in the ways that libraries and papers have, each with its
// fence of the proxy: nothing is reported of them. For sm_90.
#include "mbarriers.cuh"

#define SHARED_FENCE ptx::fence_proxy_async(ptx::space_shared)

// A warp copies, two warps read.
#define RING(label, name, readers, before, behind)                                   \
  label(1, 96, refill_##name) {                                                      \
    __shared__ alignas(128) int place[2][64];                                        \
    __shared__ alignas(8) Bar full[2];                                               \
    BEGIN(2, readers);                                                               \
    if (threadIdx.x < 2) ptx::mbarrier_init(&full[threadIdx.x], 1);                  \
    __syncthreads();                                                                 \
    for (int i = 0; i < 6; ++i) {                                                    \
      const int s = i % 2, parity = i / 2 % 2;                                       \
      if (threadIdx.x == 0) {                                                        \
        wait(&bar[s], parity ^ 1);                                                   \
        before;                                                                      \
        fetch(place[s], a + i * 64, 256, &full[s]);                                  \
      } else if (WARP != 0) {                                                        \
        wait(&full[s], parity);                                                      \
        c[i * 64 + static_cast<int>(threadIdx.x) - 32] = place[s][95 - threadIdx.x]; \
        behind;                                                                      \
      }                                                                              \
    }                                                                                \
  }
#define MEET asm volatile("bar.sync 1, 64;" ::: "memory")
#define ONE_ARRIVES \
  if (threadIdx.x == 32) arrive(&bar[s])
RING(RIGHT, each_arrives, 64, , SHARED_FENCE; arrive(&bar[s]))
RING(RIGHT, copier_fences, 64, SHARED_FENCE, arrive(&bar[s]))
RING(RIGHT, meet_and_one_fences, 1, , MEET; if (threadIdx.x == 32) SHARED_FENCE; ONE_ARRIVES)
RING(RIGHT, all_fence_and_meet, 1, , SHARED_FENCE; MEET; ONE_ARRIVES)
RING(RACY, nobody_fences, 64, , arrive(&bar[s]))
RING(RACY, one_fences_and_each_arrives, 64, , if (threadIdx.x == 32) SHARED_FENCE; arrive(&bar[s]))

// Changed in place, sent out, and loaded again.
RIGHT(1, 64, refill_in_place) {
  __shared__ alignas(128) int tile[64];
  BEGIN(1, 1);
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
      fetch(tile, a + i * 64, 256, &bar[0]);
    }
    wait(&bar[0], i % 2);
    tile[threadIdx.x] += 1;
    SHARED_FENCE;
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + i * 64, tile, sizeof tile);
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}
// Each place is used once.
RIGHT(1, 64, refill_once) {
  __shared__ alignas(128) int tile[4][64];
  BEGIN(4, 1);
  if (threadIdx.x == 0)
    for (int i = 0; i < 4; ++i) fetch(tile[i], a + i * 64, 256, &bar[i]);
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    wait(&bar[i], 0);
    sum += tile[i][63 - threadIdx.x];
  }
  c[threadIdx.x] = sum;
}
// A reduction in the same memory, before the copies begin.
RIGHT(1, 64, refill_reused) {
  __shared__ alignas(128) int tile[64];
  BEGIN(1, 1);
  tile[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  for (int s = 32; s; s /= 2) {
    if (static_cast<int>(threadIdx.x) < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  const int sum = tile[0];
  SHARED_FENCE;
  __syncthreads();
  if (threadIdx.x == 0) fetch(tile, a, 256, &bar[0]);
  wait(&bar[0], 0);
  c[threadIdx.x] = tile[threadIdx.x] + sum;
}
// The thread that fences neither reads for others nor copies.
RIGHT(1, 96, refill_other_warp) {
  __shared__ alignas(128) int tile[96];
  BEGIN(1, 1);
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) fetch(tile, a + i * 96, 384, &bar[0]);
    wait(&bar[0], i % 2);
    c[i * 96 + threadIdx.x] = tile[95 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 64) SHARED_FENCE;
    __syncthreads();
  }
}
#pragma nv_diag_suppress static_var_with_dynamic_init
// cuda::pipeline, whose copies are bulk copies here.
RIGHT(1, 64, refill_pipeline) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(128) int tile[2][64];
  const auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int i = 0; i < 2; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, tile[i], a + 64 * i, cuda::aligned_size_t<16>(256), pipe);
    pipe.producer_commit();
  }
  for (int i = 0; i < 6; ++i) {
    pipe.consumer_wait();
    c[i * 64 + threadIdx.x] = tile[i % 2][63 - threadIdx.x];
    pipe.consumer_release();
    if (i + 2 < 6) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[i % 2], a + 64 * (i + 2), cuda::aligned_size_t<16>(256), pipe);
      pipe.producer_commit();
    }
  }
}
// memcpy_async_tx is always a bulk copy, and leaves the fence to its caller.
RACY(1, 64, refill_tx) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ alignas(128) int tile[64];
  if (threadIdx.x == 0) init(&ready, 64);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(tile, a + 64 * round, cuda::aligned_size_t<16>(sizeof tile), ready);
      token = cuda::device::barrier_arrive_tx(ready, 1, sizeof tile);
    } else {
      token = ready.arrive(1);
    }
    ready.wait(cuda::std::move(token));
    c[64 * round + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
}
