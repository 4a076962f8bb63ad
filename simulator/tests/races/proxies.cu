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
// Threads read a tile, and the next bulk copy overwrites it: a barrier must come between, a fence need not.
#define AGAIN(label, name, between)                        \
  label(1, 64, proxies_again_##name) {                     \
    __shared__ alignas(128) int tile[64];                  \
    BEGIN(1, 1);                                           \
    int sum = 0;                                           \
    for (int round = 0; round < 2; ++round) {              \
      if (threadIdx.x == 0) {                              \
        fetch(tile, a + round * 64, sizeof tile, &bar[0]); \
      }                                                    \
      wait(&bar[0], round);                                \
      sum += tile[(threadIdx.x + 32) % 64];                \
      between;                                             \
    }                                                      \
    c[threadIdx.x] = sum;                                  \
  }
AGAIN(RIGHT, barrier, __syncthreads())
AGAIN(RACY, no_barrier, )
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
