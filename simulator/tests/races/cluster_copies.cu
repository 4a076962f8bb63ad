// Bulk copies into the shared memory of the other block of the cluster: what they overwrite there, and who may read it
// when. Each faulty program has a right twin. In clusters of two blocks.
#include "mbarriers.cuh"

namespace cg = cooperative_groups;
#define SYNC cg::this_cluster().sync()
#define OTHER(words) cg::this_cluster().map_shared_rank(words, cg::this_cluster().block_rank() ^ 1)
#define RANK cg::this_cluster().block_rank()
#define GLOBAL_FENCE ptx::fence_proxy_async(ptx::space_global)
#define SHARED_FENCE ptx::fence_proxy_async(ptx::space_shared)
#define SELF static_cast<int>(threadIdx.x)

__device__ inline void expect(Bar *bar, int bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, bar,
                                 static_cast<std::uint32_t>(bytes));
}
/// To the other block, which counts it at its own `bar`.
__device__ inline void pass(int *to, const int *from, int bytes, Bar *bar) {
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, OTHER(to), from,
                     static_cast<std::uint32_t>(bytes), OTHER(bar));
}
/// From global memory, to the same place in the blocks of the mask.
__device__ inline void spread(int *to, const int *from, int bytes, Bar *bar, int mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
      "[%3], %4;" ::"r"(at(to)),
      "l"(from), "r"(bytes), "r"(at(bar)), "h"(static_cast<short>(mask))
      : "memory");
}
__device__ inline void arrive_there(Bar *bar) {
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, OTHER(bar));
}
__device__ inline void wait_for_others(Bar *bar, int parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar,
                                        static_cast<std::uint32_t>(parity))) {
  }
}

// The threads of block 1 use the place that block 0 then overwrites.
#define OVERWRITE(label, name, use, behind, before, copy) \
  label(2, 64, cluster_copies_##name) {                   \
    __shared__ alignas(128) int from[64], to[64];         \
    BEGIN(1, 1);                                          \
    int sum = 0;                                          \
    from[threadIdx.x] = SELF;                             \
    to[threadIdx.x] = -SELF;                              \
    SHARED_FENCE;                                         \
    __syncthreads();                                      \
    use;                                                  \
    behind;                                               \
    SYNC;                                                 \
    if (RANK == 0 && threadIdx.x == 0) {                  \
      before;                                             \
      copy;                                               \
    }                                                     \
    if (RANK == 1) {                                      \
      if (threadIdx.x == 0) expect(&bar[0], 128);         \
      wait_for_others(&bar[0], 0);                        \
      a[threadIdx.x] = sum + to[threadIdx.x] + from[0];   \
    }                                                     \
    SYNC;                                                 \
  }
#define PASS pass(to, from, 128, &bar[0])
#define SPREAD spread(to, b, 128, &bar[0], 2)
#define STORES to[63 - threadIdx.x] = 1
#define LOADS sum = to[63 - threadIdx.x]
OVERWRITE(RIGHT, unused, , , , PASS)
OVERWRITE(RIGHT, store_fence, STORES, SHARED_FENCE, , PASS)
OVERWRITE(RIGHT, store_fence_of_all_memory, STORES, ptx::fence_proxy_async(), , PASS)
OVERWRITE(RIGHT, store_fence_of_the_starter, STORES, , SHARED_FENCE, PASS)
OVERWRITE(RACY, store_no_fence, STORES, , , PASS)
OVERWRITE(RACY, store_global_fence, STORES, GLOBAL_FENCE, , PASS)
OVERWRITE(RIGHT, load_fence, LOADS, SHARED_FENCE, , PASS)
OVERWRITE(RIGHT, load_fence_of_the_starter, LOADS, , SHARED_FENCE, PASS)
OVERWRITE(RIGHT, load_fence_of_one, LOADS, __syncthreads(); if (threadIdx.x == 32) SHARED_FENCE, , PASS)
OVERWRITE(RACY, load_no_fence, LOADS, , , PASS)
OVERWRITE(RACY, load_fence_of_one_too_early, LOADS, if (threadIdx.x == 0) SHARED_FENCE, , PASS)
OVERWRITE(RIGHT, load_apart, sum = to[32 + LANE], , , PASS)
OVERWRITE(RIGHT, spread_store_fence, STORES, SHARED_FENCE, , SPREAD)
OVERWRITE(RACY, spread_store_no_fence, STORES, , , SPREAD)
OVERWRITE(RIGHT, spread_load_fence, LOADS, SHARED_FENCE, , SPREAD)
OVERWRITE(RACY, spread_load_no_fence, LOADS, , , SPREAD)
OVERWRITE(RIGHT, spread_load_apart, sum = to[32 + LANE], , , SPREAD)

// Block 0 fills a ring of places in block 1, which gives each back by an arrival.
#define RING(label, name, give_back)                          \
  label(2, 64, cluster_copies_ring_##name) {                  \
    __shared__ alignas(128) int from[192], place[2][32];      \
    BEGIN(4, 1);                                              \
    Bar *const full = bar, *const empty = bar + 2;            \
    for (int i = SELF; i < 192; i += 64) from[i] = i;         \
    SHARED_FENCE;                                             \
    SYNC;                                                     \
    if (RANK == 0 && threadIdx.x == 0)                        \
      for (int i = 0; i < 6; ++i) {                           \
        wait_for_others(&empty[i % 2], i / 2 % 2 ^ 1);        \
        pass(place[i % 2], from + 32 * i, 128, &full[i % 2]); \
      }                                                       \
    if (RANK == 1 && WARP == 1)                               \
      for (int i = 0; i < 6; ++i) {                           \
        const int s = i % 2;                                  \
        if (LANE == 0) expect(&full[s], 128);                 \
        wait_for_others(&full[s], i / 2 % 2);                 \
        c[i * 32 + LANE] = place[s][31 - LANE];               \
        give_back;                                            \
        if (LANE == 0) arrive_there(&empty[s]);               \
      }                                                       \
    SYNC;                                                     \
  }
RING(RIGHT, all_fence, SHARED_FENCE; __syncwarp())
RING(RIGHT, one_fences, __syncwarp(); if (LANE == 0) SHARED_FENCE)
RING(RACY, no_fence, __syncwarp())
RING(RACY, fence_before_the_read, __syncwarp(); if (i == 0) SHARED_FENCE)

// Block 0 fetches a tile into both blocks, again and again. Both give it back at block 0.
#define SPREAD_AGAIN(label, name, give_back)                                         \
  label(2, 32, cluster_copies_spread_again_##name) {                                 \
    __shared__ alignas(128) int tile[32];                                            \
    __shared__ alignas(8) Bar full, empty;                                           \
    if (threadIdx.x == 0) {                                                          \
      ptx::mbarrier_init(&full, 1);                                                  \
      ptx::mbarrier_init(&empty, 64);                                                \
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);                \
    }                                                                                \
    SYNC;                                                                            \
    for (int i = 0; i < 4; ++i) {                                                    \
      if (threadIdx.x == 0) {                                                        \
        expect(&full, 128);                                                          \
        if (RANK == 0) {                                                             \
          wait_for_others(&empty, i % 2 ^ 1);                                        \
          spread(tile, b + 32 * i, 128, &full, 3);                                   \
        }                                                                            \
      }                                                                              \
      wait_for_others(&full, i % 2);                                                 \
      c[128 * static_cast<int>(RANK) + i * 32 + LANE] = tile[31 - LANE];             \
      give_back;                                                                     \
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, \
                           cg::this_cluster().map_shared_rank(&empty, 0u));          \
    }                                                                                \
    SYNC;                                                                            \
  }
SPREAD_AGAIN(RIGHT, fence, SHARED_FENCE)
SPREAD_AGAIN(RACY, no_fence, )

// Who reads what has come must have waited for it, or met who has.
#define READ(label, name, between, wait_there, early, meet, late) \
  label(2, 64, cluster_copies_read_##name) {                      \
    __shared__ alignas(128) int from[64], to[64];                 \
    BEGIN(1, 1);                                                  \
    from[threadIdx.x] = SELF;                                     \
    SHARED_FENCE;                                                 \
    SYNC;                                                         \
    if (RANK == 0 && threadIdx.x == 0) {                          \
      pass(to, from, 256, &bar[0]);                               \
      early;                                                      \
    }                                                             \
    if (RANK == 1 && threadIdx.x == 0) expect(&bar[0], 256);      \
    between;                                                      \
    if (RANK == 1) {                                              \
      wait_there;                                                 \
      a[threadIdx.x] = to[threadIdx.x];                           \
    }                                                             \
    meet;                                                         \
    if (RANK == 0) {                                              \
      late;                                                       \
    }                                                             \
    SYNC;                                                         \
  }
#define WAIT wait_for_others(&bar[0], 0)
#define READ_BACK b[threadIdx.x] = OTHER(to)[threadIdx.x]
READ(RIGHT, all_wait, , WAIT, , , )
READ(RIGHT, some_wait_and_meet, , if (WARP == 0) WAIT; __syncthreads(), , , )
READ(RACY, some_wait, , if (WARP == 0) WAIT, , , )
READ(RACY, nobody_waits, SYNC, , , , )
READ(RIGHT, back_later, , WAIT, , SYNC, READ_BACK)
READ(RACY, back_at_once, , WAIT, READ_BACK, SYNC, )
READ(RACY, back_too_early, SYNC; if (RANK == 0) READ_BACK, WAIT, , SYNC, )

// Two copies to one place: nothing orders them until the first one has been waited for.
#define TWICE(label, name, bytes, first, second)               \
  label(2, 64, cluster_copies_twice_##name) {                  \
    __shared__ alignas(128) int from[128], to[128];            \
    BEGIN(1, 1);                                               \
    from[threadIdx.x] = SELF;                                  \
    from[threadIdx.x + 64] = -SELF;                            \
    SHARED_FENCE;                                              \
    if (RANK == 1 && threadIdx.x == 0) expect(&bar[0], bytes); \
    SYNC;                                                      \
    first;                                                     \
    second;                                                    \
    if (RANK == 1) {                                           \
      WAIT;                                                    \
      a[threadIdx.x] = to[threadIdx.x];                        \
    }                                                          \
    SYNC;                                                      \
  }
#define PASS_BY(thread, offset) \
  if (RANK == 0 && SELF == (thread)) pass(to + (offset), from + (offset), 256, &bar[0])
#define FETCH_OWN(offset)     \
  if (RANK == 1 && SELF == 0) \
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + (offset), b, 256u, &bar[0])
TWICE(RIGHT, halves_of_one_thread, 512, PASS_BY(0, 0), PASS_BY(0, 64))
TWICE(RACY, one_thread, 512, PASS_BY(0, 0), PASS_BY(0, 0))
TWICE(RIGHT, halves_of_two_threads, 512, PASS_BY(0, 0), PASS_BY(32, 64))
TWICE(RACY, two_threads, 512, PASS_BY(0, 0), PASS_BY(32, 0))
TWICE(RIGHT, halves_of_two_blocks, 512, FETCH_OWN(64), PASS_BY(0, 0))
TWICE(RACY, two_blocks, 512, FETCH_OWN(0), PASS_BY(0, 0))
TWICE(RACY, two_blocks_after_a_barrier, 512, FETCH_OWN(0), SYNC; PASS_BY(0, 0))
TWICE(RACY, two_blocks_the_other_first, 512, PASS_BY(0, 0), SYNC; FETCH_OWN(0))

// Ordinary stores of block 0 into block 1, which sends them on: the fence of the thread that stored is enough.
RIGHT(2, 64, cluster_copies_sent_on) {
  __shared__ alignas(128) int to[64];
  SYNC;
  if (RANK == 0) OTHER(to)[threadIdx.x] = SELF;
  ptx::fence_proxy_async();
  SYNC;
  if (RANK == 1 && threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, a, to, 256u);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
  }
}
