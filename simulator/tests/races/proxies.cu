// Ordinary accesses and bulk copies of one place: what the async proxy sees, and when. Each faulty program has
// a right twin.
#include "mbarriers.cuh"

#define GLOBAL_FENCE ptx::fence_proxy_async(ptx::space_global)
#define SHARED_FENCE ptx::fence_proxy_async(ptx::space_shared)

// Threads store to global memory, and a bulk copy of their block loads it.
#define RELAY(label, name, behind, before)          \
  label(1, 64, proxies_relay_##name) {              \
    __shared__ alignas(128) int tile[64];           \
    BEGIN(1, 1);                                    \
    a[threadIdx.x] = static_cast<int>(threadIdx.x); \
    behind;                                         \
    __syncthreads();                                \
    if (threadIdx.x == 0) {                         \
      before;                                       \
      fetch(tile, a, sizeof tile, &bar[0]);         \
    }                                               \
    wait(&bar[0], 0);                               \
    c[threadIdx.x] = tile[threadIdx.x];             \
  }
RELAY(RIGHT, fence, GLOBAL_FENCE, )
RELAY(RIGHT, fence_of_all_memory, ptx::fence_proxy_async(), )
RELAY(RIGHT, fence_of_the_reader, , GLOBAL_FENCE)
RELAY(RACY, no_fence, , )
RELAY(RACY, shared_fence, SHARED_FENCE, )
RELAY(RACY, thread_fence, __threadfence(), )
// The stores are atomics.
#define COUNTED(label, name, behind)         \
  label(1, 64, proxies_counted_##name) {     \
    __shared__ alignas(128) int tile[32];    \
    BEGIN(1, 1);                             \
    atomicAdd(&a[threadIdx.x % 32], 1);      \
    behind;                                  \
    __syncthreads();                         \
    if (threadIdx.x == 0) {                  \
      fetch(tile, a, sizeof tile, &bar[0]);  \
    }                                        \
    wait(&bar[0], 0);                        \
    c[threadIdx.x] = tile[threadIdx.x % 32]; \
  }
COUNTED(RIGHT, fence, GLOBAL_FENCE)
COUNTED(RACY, no_fence, )
// What this kernel has not written needs no fence, nor what a bulk copy has written.
#define UNTOUCHED(label, name, offset)               \
  label(1, 64, proxies_other_half_##name) {          \
    __shared__ alignas(128) int tile[64];            \
    BEGIN(1, 1);                                     \
    a[threadIdx.x] = 1;                              \
    __syncthreads();                                 \
    if (threadIdx.x == 0) {                          \
      fetch(tile, a + offset, sizeof tile, &bar[0]); \
    }                                                \
    wait(&bar[0], 0);                                \
    c[threadIdx.x] = tile[threadIdx.x];              \
  }
UNTOUCHED(RIGHT, apart, 64)
UNTOUCHED(RACY, overlaps, 32)
// Threads store to shared memory, and a bulk copy stores it to global memory.
#define SEND(label, name, behind, before)                                             \
  label(1, 64, proxies_send_##name) {                                                 \
    __shared__ alignas(128) int tile[64];                                             \
    tile[threadIdx.x] = static_cast<int>(threadIdx.x);                                \
    behind;                                                                           \
    __syncthreads();                                                                  \
    if (threadIdx.x == 0) {                                                           \
      before;                                                                         \
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, a, tile, sizeof tile); \
      ptx::cp_async_bulk_commit_group();                                              \
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});                            \
    }                                                                                 \
  }
SEND(RIGHT, fence, SHARED_FENCE, )
SEND(RIGHT, fence_of_the_reader, , SHARED_FENCE)
SEND(RACY, no_fence, , )
SEND(RACY, global_fence, GLOBAL_FENCE, )
// The fence may be anywhere on the way from the stores to the copy: in a thread that has met those that stored, too.
#define ON_THE_WAY(label, name, before, between)                                      \
  label(1, 96, proxies_on_the_way_##name) {                                           \
    __shared__ alignas(128) int tile[96];                                             \
    BEGIN(1, 1);                                                                      \
    tile[threadIdx.x] = static_cast<int>(threadIdx.x);                                \
    before;                                                                           \
    __syncthreads();                                                                  \
    between;                                                                          \
    if (threadIdx.x == 0) {                                                           \
      wait(&bar[0], 0);                                                               \
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, a, tile, sizeof tile); \
      ptx::cp_async_bulk_commit_group();                                              \
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});                            \
    }                                                                                 \
  }
ON_THE_WAY(RIGHT, of_a_third_warp, , if (threadIdx.x == 64)(SHARED_FENCE, arrive(&bar[0])))
ON_THE_WAY(RACY, of_a_third_warp_before_the_barrier, if (threadIdx.x == 64) SHARED_FENCE,
           if (threadIdx.x == 64) arrive(&bar[0]))
ON_THE_WAY(RACY, none, , if (threadIdx.x == 64) arrive(&bar[0]))

// A loop that lacks one fence, unrolled; a loop over two tiles, of which the second one lacks it.
#define ROUNDS(label, name, first, second)                                                    \
  label(1, 64, proxies_rounds_##name) {                                                       \
    __shared__ alignas(128) int tile[64], other[64];                                          \
    _Pragma("unroll") for (int round = 0; round < 8; ++round) {                               \
      tile[threadIdx.x] = round;                                                              \
      first;                                                                                  \
      other[threadIdx.x] = round;                                                             \
      second;                                                                                 \
      __syncthreads();                                                                        \
      if (threadIdx.x == 0) {                                                                 \
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, a + 64 * round, tile, 256);  \
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + 64 * round, other, 256); \
        ptx::cp_async_bulk_commit_group();                                                    \
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});                                  \
      }                                                                                       \
      __syncthreads();                                                                        \
    }                                                                                         \
  }
ROUNDS(RIGHT, fences, , SHARED_FENCE)
ROUNDS(RACY, no_fences, , )
ROUNDS(RACY, fences_too_early, SHARED_FENCE, )

// A tile that a copy fills, or ordinary stores where the input is empty, is sent on.
#define EMPTY(label, name, count, behind)                                             \
  label(1, 64, proxies_empty_##name) {                                                \
    __shared__ alignas(128) int tile[64];                                             \
    BEGIN(1, 1);                                                                      \
    if ((count) != 0) {                                                               \
      if (threadIdx.x == 0) fetch(tile, b, sizeof tile, &bar[0]);                     \
      wait(&bar[0], 0);                                                               \
    } else {                                                                          \
      tile[threadIdx.x] = 0;                                                          \
      behind;                                                                         \
    }                                                                                 \
    __syncthreads();                                                                  \
    if (threadIdx.x == 0) {                                                           \
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, a, tile, sizeof tile); \
      ptx::cp_async_bulk_commit_group();                                              \
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});                            \
    }                                                                                 \
  }
EMPTY(RIGHT, fence, c[0], SHARED_FENCE)
EMPTY(RACY, no_fence, c[0], )
EMPTY(RIGHT, not_taken, n, )

// Threads read a tile, and the next bulk copy overwrites it: a barrier must come between, and by PTX a fence.
#define AGAIN(label, name, between, before)                \
  label(1, 64, proxies_again_##name) {                     \
    __shared__ alignas(128) int tile[64];                  \
    BEGIN(1, 1);                                           \
    int sum = 0;                                           \
    for (int round = 0; round < 2; ++round) {              \
      if (threadIdx.x == 0) {                              \
        before;                                            \
        fetch(tile, a + round * 64, sizeof tile, &bar[0]); \
      }                                                    \
      wait(&bar[0], round);                                \
      sum += tile[(threadIdx.x + 32) % 64];                \
      between;                                             \
    }                                                      \
    c[threadIdx.x] = sum;                                  \
  }
AGAIN(RIGHT, fence, SHARED_FENCE; __syncthreads(), )
AGAIN(RIGHT, fence_of_the_starter, __syncthreads(), SHARED_FENCE)
AGAIN(RACY, no_fence, __syncthreads(), )
AGAIN(RACY, global_fence, GLOBAL_FENCE; __syncthreads(), )
AGAIN(RACY, no_barrier, , )
// One thread reads, and starts the next copy itself.
#define ITSELF(label, name, between)                       \
  label(1, 32, proxies_itself_##name) {                    \
    __shared__ alignas(128) int tile[32];                  \
    BEGIN(1, 1);                                           \
    if (threadIdx.x == 0) {                                \
      int sum = 0;                                         \
      for (int round = 0; round < 2; ++round) {            \
        fetch(tile, a + round * 32, sizeof tile, &bar[0]); \
        wait(&bar[0], round);                              \
        for (int i = 0; i < 32; ++i) sum += tile[i];       \
        between;                                           \
      }                                                    \
      c[0] = sum;                                          \
    }                                                      \
  }
ITSELF(RIGHT, fence, SHARED_FENCE)
ITSELF(RACY, no_fence, )
// A ring: the consumers fence before they give a place back, each or one for its warp.
#define RING(label, name, give_back)                \
  label(1, 64, proxies_ring_##name) {               \
    __shared__ alignas(128) int place[2][32];       \
    BEGIN(4, 1);                                    \
    Bar *const full = bar, *const empty = bar + 2;  \
    for (int i = 0; i < 6; ++i) {                   \
      const int s = i % 2, parity = i / 2 % 2;      \
      if (threadIdx.x == 0) {                       \
        wait(&empty[s], parity ^ 1);                \
        fetch(place[s], a + i * 32, 128, &full[s]); \
      } else if (WARP == 1) {                       \
        wait(&full[s], parity);                     \
        c[i * 32 + LANE] = place[s][31 - LANE];     \
        give_back;                                  \
        if (LANE == 0) arrive(&empty[s]);           \
      }                                             \
    }                                               \
  }
RING(RIGHT, all_fence, SHARED_FENCE; __syncwarp())
RING(RIGHT, one_fences, __syncwarp(); if (LANE == 0) SHARED_FENCE)
RING(RACY, no_fence, __syncwarp())
RING(RACY, fence_before_the_read, __syncwarp(); if (i == 0) SHARED_FENCE)
// Ordinary stores, then a copy overwrites some of them.
#define FILLED(label, name, behind)                     \
  label(1, 64, proxies_filled_##name) {                 \
    __shared__ alignas(128) int tile[64];               \
    BEGIN(1, 1);                                        \
    tile[threadIdx.x] = -1;                             \
    behind;                                             \
    __syncthreads();                                    \
    if (threadIdx.x == 0) fetch(tile, a, 128, &bar[0]); \
    wait(&bar[0], 0);                                   \
    c[threadIdx.x] = tile[threadIdx.x];                 \
  }
FILLED(RIGHT, fence, SHARED_FENCE)
FILLED(RACY, no_fence, )
// Ordinary stores that a fence follows, then ordinary loads, then a copy overwrites what they read.
#define LOADED(label, name, behind)                     \
  label(1, 64, proxies_loaded_##name) {                 \
    __shared__ alignas(128) int tile[64];               \
    BEGIN(1, 1);                                        \
    tile[threadIdx.x] = -1;                             \
    SHARED_FENCE;                                       \
    __syncthreads();                                    \
    c[threadIdx.x] = tile[63 - threadIdx.x];            \
    behind;                                             \
    __syncthreads();                                    \
    if (threadIdx.x == 0) fetch(tile, a, 256, &bar[0]); \
    wait(&bar[0], 0);                                   \
    c[threadIdx.x] += tile[threadIdx.x];                \
  }
LOADED(RIGHT, fence, SHARED_FENCE)
LOADED(RACY, no_fence, )
// A copy reads a tile, and threads store to it: the end of the copy is a fence.
RIGHT(1, 64, proxies_sent_and_stored) {
  __shared__ alignas(128) int tile[64];
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = round;
    SHARED_FENCE;
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, a + 64 * round, tile, sizeof tile);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
    __syncthreads();
  }
}
// cuda::memcpy_async promises that its barrier is enough, also where it is a bulk copy.
#pragma nv_diag_suppress static_var_with_dynamic_init
RIGHT(1, 64, proxies_memcpy_async) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ alignas(128) int tile[64];
  const auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0) init(&ready, 64);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(block, tile, a + 64 * round, cuda::aligned_size_t<16>(sizeof tile), ready);
    ready.arrive_and_wait();
    c[64 * round + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
}
// An mbarrier: copies count at it through the generic proxy, so a barrier of the block after its init is enough.
#define INITS(label, name, behind, meet)             \
  label(1, 64, proxies_inits_##name) {               \
    __shared__ alignas(128) int tile[64];            \
    __shared__ alignas(8) Bar bar;                   \
    if (threadIdx.x == 32) {                         \
      ptx::mbarrier_init(&bar, 1);                   \
      behind;                                        \
    }                                                \
    meet;                                            \
    if (threadIdx.x == 0) fetch(tile, a, 256, &bar); \
    wait(&bar, 0);                                   \
    c[threadIdx.x] = tile[threadIdx.x];              \
  }
INITS(RIGHT, barrier, , __syncthreads())
INITS(RIGHT, fence_of_the_proxy, SHARED_FENCE, __syncthreads())
INITS(RIGHT, fence_of_the_init, ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster),
      __syncthreads())
// cp.async: each thread waits for its own copies, and a barrier must follow before others read them.
#define COPIES(label, name, behind)                                                        \
  label(1, 64, proxies_copies_##name) {                                                    \
    __shared__ alignas(16) int tile[64];                                                   \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&tile[threadIdx.x])), \
                 "l"(&a[threadIdx.x])                                                      \
                 : "memory");                                                              \
    asm volatile("cp.async.wait_all;" ::: "memory");                                       \
    behind;                                                                                \
    c[threadIdx.x] = tile[63 - threadIdx.x];                                               \
  }
COPIES(RIGHT, barrier, __syncthreads())
COPIES(RACY, no_barrier, )
// cp.async goes through the generic proxy: what it has copied needs the fence like ordinary stores.
#define SENT_ON(label, name, behind)                                                       \
  label(1, 64, proxies_sent_on_##name) {                                                   \
    __shared__ alignas(128) int tile[64];                                                  \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&tile[threadIdx.x])), \
                 "l"(&b[threadIdx.x])                                                      \
                 : "memory");                                                              \
    asm volatile("cp.async.wait_all;" ::: "memory");                                       \
    behind;                                                                                \
    __syncthreads();                                                                       \
    if (threadIdx.x == 0) {                                                                \
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, a, tile, sizeof tile);      \
      ptx::cp_async_bulk_commit_group();                                                   \
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});                                 \
    }                                                                                      \
  }
SENT_ON(RIGHT, fence, SHARED_FENCE)
SENT_ON(RACY, no_fence, )
