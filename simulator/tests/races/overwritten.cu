// Global memory that ordinary accesses have used and that a bulk copy then overwrites: the copy goes through the async
// proxy. Each faulty program has a right twin.
#include <cooperative_groups.h>

#include "mbarriers.cuh"

#define GLOBAL_FENCE ptx::fence_proxy_async(ptx::space_global)
#define SHARED_FENCE ptx::fence_proxy_async(ptx::space_shared)
#define SELF static_cast<int>(threadIdx.x)

__device__ inline void send(int *to, const int *from, int bytes) {
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, static_cast<std::uint32_t>(bytes));
  ptx::cp_async_bulk_commit_group();
}
#define ALL_SENT ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{})

// Each thread uses its element of a, and a copy of a tile overwrites all of them.
#define OVERWRITE(label, name, use, behind, before) \
  label(1, 64, overwritten_##name) {                \
    __shared__ alignas(128) int tile[64];           \
    int *const mine = a + threadIdx.x;              \
    tile[threadIdx.x] = SELF;                       \
    use;                                            \
    SHARED_FENCE;                                   \
    behind;                                         \
    __syncthreads();                                \
    if (threadIdx.x == 0) {                         \
      before;                                       \
      send(a, tile, sizeof tile);                   \
      ALL_SENT;                                     \
    }                                               \
  }
#define STORES *mine = 1
#define LOADS tile[threadIdx.x] += *mine
OVERWRITE(RIGHT, store_fence, STORES, GLOBAL_FENCE, )
OVERWRITE(RIGHT, store_fence_of_all_memory, STORES, ptx::fence_proxy_async(), )
OVERWRITE(RIGHT, store_fence_of_the_starter, STORES, , GLOBAL_FENCE)
OVERWRITE(RACY, store_no_fence, STORES, , )
OVERWRITE(RACY, store_thread_fence, STORES, __threadfence(), )
OVERWRITE(RIGHT, load_fence, LOADS, GLOBAL_FENCE, )
OVERWRITE(RIGHT, load_fence_of_the_starter, LOADS, , GLOBAL_FENCE)
OVERWRITE(RACY, load_no_fence, LOADS, , )
OVERWRITE(RIGHT, atomic_fence, atomicAdd(mine, 1), GLOBAL_FENCE, )
OVERWRITE(RACY, atomic_no_fence, atomicAdd(mine, 1), , )
OVERWRITE(RIGHT, volatile_fence, *const_cast<volatile int *>(mine) = 1, GLOBAL_FENCE, )
OVERWRITE(RACY, volatile_no_fence, *const_cast<volatile int *>(mine) = 1, , )
// The fence comes before the access that it should follow.
OVERWRITE(RACY, store_behind_the_fence, GLOBAL_FENCE; STORES, , )
OVERWRITE(RACY, load_behind_the_fence, GLOBAL_FENCE; LOADS, , )
// Other elements than those that the copy overwrites.
OVERWRITE(RIGHT, store_apart, mine[64] = 1, , )
OVERWRITE(RIGHT, load_apart, tile[threadIdx.x] += mine[64], , )
OVERWRITE(RACY, store_overlaps, mine[32] = 1, , )
OVERWRITE(RACY, load_overlaps, tile[threadIdx.x] += mine[32], , )
// cp.async reads through the generic proxy.
#define FETCHES                                                                                    \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&tile[threadIdx.x])), "l"(mine) \
               : "memory");                                                                        \
  asm volatile("cp.async.wait_all;" ::: "memory")
OVERWRITE(RIGHT, cp_async_fence, FETCHES, GLOBAL_FENCE, )
OVERWRITE(RACY, cp_async_no_fence, FETCHES, , )

// Without a barrier it is a race.
#define UNORDERED(label, name, use, between)   \
  label(1, 64, overwritten_unordered_##name) { \
    __shared__ alignas(128) int tile[64];      \
    int *const mine = a + threadIdx.x;         \
    tile[threadIdx.x] = SELF;                  \
    SHARED_FENCE;                              \
    __syncthreads();                           \
    use;                                       \
    GLOBAL_FENCE;                              \
    between;                                   \
    if (threadIdx.x == 0) {                    \
      send(a, tile, sizeof tile);              \
      ALL_SENT;                                \
    }                                          \
  }
UNORDERED(RIGHT, store_barrier, STORES, __syncthreads())
UNORDERED(RACY, store_no_barrier, STORES, )
UNORDERED(RIGHT, load_barrier, b[threadIdx.x] = *mine, __syncthreads())
UNORDERED(RACY, load_no_barrier, b[threadIdx.x] = *mine, )

// One thread does all of it.
#define ALONE(label, name, use, behind)    \
  label(1, 32, overwritten_alone_##name) { \
    __shared__ alignas(128) int tile[32];  \
    if (threadIdx.x == 0) {                \
      for (int i = 0; i < 32; ++i) {       \
        int *const mine = a + i;           \
        tile[i] = i;                       \
        use;                               \
      }                                    \
      SHARED_FENCE;                        \
      behind;                              \
      send(a, tile, sizeof tile);          \
      ALL_SENT;                            \
    }                                      \
  }
ALONE(RIGHT, store_fence, STORES, GLOBAL_FENCE)
ALONE(RACY, store_no_fence, STORES, )
ALONE(RIGHT, load_fence, tile[i] += *mine, GLOBAL_FENCE)
ALONE(RACY, load_no_fence, tile[i] += *mine, )

// The fence may be anywhere on the way from the accesses to the copy: in a thread that has met those that made them, too.
#define ON_THE_WAY(label, name, before, between) \
  label(1, 96, overwritten_on_the_way_##name) {  \
    __shared__ alignas(128) int tile[96];        \
    BEGIN(1, 1);                                 \
    tile[threadIdx.x] = a[threadIdx.x] + 1;      \
    SHARED_FENCE;                                \
    before;                                      \
    __syncthreads();                             \
    between;                                     \
    if (threadIdx.x == 0) {                      \
      wait(&bar[0], 0);                          \
      send(a, tile, sizeof tile);                \
      ALL_SENT;                                  \
    }                                            \
  }
ON_THE_WAY(RIGHT, of_a_third_warp, , if (threadIdx.x == 64)(GLOBAL_FENCE, arrive(&bar[0])))
ON_THE_WAY(RACY, of_a_third_warp_before_the_barrier, if (threadIdx.x == 64) GLOBAL_FENCE,
           if (threadIdx.x == 64) arrive(&bar[0]))
ON_THE_WAY(RACY, none, , if (threadIdx.x == 64) arrive(&bar[0]))

// Changed in place, round after round. What a copy has written needs no fence after the wait for it.
#define ROUNDS(label, name, behind)                             \
  label(1, 64, overwritten_rounds_##name) {                     \
    __shared__ alignas(128) int tile[64];                       \
    _Pragma("unroll") for (int round = 0; round < 4; ++round) { \
      tile[threadIdx.x] = a[63 - threadIdx.x] + 1;              \
      SHARED_FENCE;                                             \
      behind;                                                   \
      __syncthreads();                                          \
      if (threadIdx.x == 0) {                                   \
        send(a, tile, sizeof tile);                             \
        ALL_SENT;                                               \
      }                                                         \
      __syncthreads();                                          \
    }                                                           \
  }
ROUNDS(RIGHT, fence, GLOBAL_FENCE)
ROUNDS(RACY, no_fence, )
RIGHT(1, 64, overwritten_copied_both_ways) {
  __shared__ alignas(128) int tile[64];
  BEGIN(1, 1);
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) fetch(tile, a, sizeof tile, &bar[0]);
    wait(&bar[0], round % 2);
    tile[threadIdx.x] += 1;
    SHARED_FENCE;
    __syncthreads();
    if (threadIdx.x == 0) {
      send(a, tile, sizeof tile);
      ALL_SENT;
    }
  }
}
RIGHT(1, 64, overwritten_then_used) {
  __shared__ alignas(128) int tile[64];
  tile[threadIdx.x] = SELF;
  SHARED_FENCE;
  __syncthreads();
  if (threadIdx.x == 0) {
    send(a, tile, sizeof tile);
    ALL_SENT;
  }
  __syncthreads();
  a[threadIdx.x] += 1;
}
// Each block overwrites what it has read itself; what the others read is not its own.
#define BLOCKS(label, name, behind)                        \
  label(4, 64, overwritten_blocks_##name) {                \
    __shared__ alignas(128) int tile[64];                  \
    tile[threadIdx.x] = 2 * a[thread_in_grid()];           \
    SHARED_FENCE;                                          \
    behind;                                                \
    __syncthreads();                                       \
    if (threadIdx.x == 0) {                                \
      send(a + blockIdx.x * 64, tile, sizeof tile);        \
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); \
    }                                                      \
  }
BLOCKS(RIGHT, fence, GLOBAL_FENCE)
BLOCKS(RACY, no_fence, )

// What another block has used before the grid met is overwritten too.
#define BLOCKS_MEET(label, name, use, behind, before) \
  label(4, 64, cooperative_overwritten_##name) {      \
    __shared__ alignas(128) int tile[64];             \
    const int other = (thread_in_grid() + 64) % 256;  \
    tile[threadIdx.x] = SELF;                         \
    use;                                              \
    SHARED_FENCE;                                     \
    behind;                                           \
    cooperative_groups::this_grid().sync();           \
    if (threadIdx.x == 0) {                           \
      before;                                         \
      send(a + blockIdx.x * 64, tile, sizeof tile);   \
      ALL_SENT;                                       \
    }                                                 \
  }
#define LOADS_OTHER tile[threadIdx.x] += a[other]
#define STORES_OTHER a[other] = 1
BLOCKS_MEET(RIGHT, unused, , , )
BLOCKS_MEET(RIGHT, load_fence, LOADS_OTHER, GLOBAL_FENCE, )
BLOCKS_MEET(RIGHT, load_fence_of_the_starter, LOADS_OTHER, , GLOBAL_FENCE)
BLOCKS_MEET(RACY, load_no_fence, LOADS_OTHER, , )
BLOCKS_MEET(RACY, load_thread_fence, LOADS_OTHER, __threadfence(), )
BLOCKS_MEET(RIGHT, store_fence, STORES_OTHER, GLOBAL_FENCE, )
BLOCKS_MEET(RACY, store_no_fence, STORES_OTHER, , )
BLOCKS_MEET(RIGHT, load_apart, tile[threadIdx.x] += a[other + 256], , )
