// How threads work together, in small: warps that rely on lock step, groups of threads, last blocks, queues.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "labels.cuh"

namespace cg = cooperative_groups;
#define DEVICE __threadfence()

// The end of a reduction within one warp, as it was written before Volta, and as it has to be now.
#define LAST_WARP(label, name, word, step)           \
  label(1, 64, last_warp_##name) {                   \
    __shared__ word s[64];                           \
    const int t = static_cast<int>(threadIdx.x);     \
    s[t] = a[t] + t;                                 \
    __syncthreads();                                 \
    if (t < 32) {                                    \
      for (int half = 32; half > 0; half /= 2) step; \
      if (t == 0) b[0] = s[0];                       \
    }                                                \
  }
#define IN_TWO_HALVES              \
  {                                \
    const int other = s[t + half]; \
    __syncwarp();                  \
    s[t] += other;                 \
    __syncwarp();                  \
  }
LAST_WARP(RIGHT, synced, int, IN_TWO_HALVES)
LAST_WARP(RACY, plain, int, s[t] += s[t + half])
LAST_WARP(RACY, volatile, volatile int, s[t] = s[t] + s[t + half])
LAST_WARP(RACY, synced_once, int, {
  s[t] += s[t + half];
  __syncwarp();
})
LAST_WARP(RIGHT, lower_half, int, {
  if (t < half) s[t] += s[t + half];
  __syncwarp();
})

// A prefix sum of a warp in shared memory.
#define SCAN(label, name, first, second)         \
  label(1, 32, warp_scan_##name) {               \
    __shared__ int s[32];                        \
    const int t = static_cast<int>(threadIdx.x); \
    s[t] = t;                                    \
    __syncwarp();                                \
    for (int d = 1; d < 32; d *= 2) {            \
      const int left = t >= d ? s[t - d] : 0;    \
      first;                                     \
      s[t] += left;                              \
      second;                                    \
    }                                            \
    b[t] = s[t];                                 \
  }
SCAN(RIGHT, synced, __syncwarp(), __syncwarp())
SCAN(RACY, no_first, , __syncwarp())
SCAN(RACY, no_second, __syncwarp(), )
SCAN(RACY, shuffle_for_sync, left + __shfl_sync(0xffffffff, t, 0), __ballot_sync(0xffffffff, t))

// Groups of cooperative groups: each sync reaches its own group.
#define TILES(label, name, size, sync)                      \
  label(1, 64, group_tiles_##name) {                        \
    __shared__ int s[64];                                   \
    const cg::thread_block block = cg::this_thread_block(); \
    const auto tile = cg::tiled_partition<size>(block);     \
    (void)tile;                                             \
    const int t = static_cast<int>(threadIdx.x);            \
    s[t] = t;                                               \
    sync;                                                   \
    b[t] = s[t ^ 16];                                       \
  }
TILES(RIGHT, of_32, 32, tile.sync())
TILES(RACY, of_16, 16, tile.sync())
TILES(RIGHT, block, 16, block.sync())
TILES(RACY, none, 32, )
RIGHT(1, 64, group_reduce) {
  __shared__ int of_warp[2];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int sum = cg::reduce(warp, thread_in_grid(), cg::plus<int>());
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) b[0] = of_warp[0] + of_warp[1];
}
RACY(1, 64, group_reduce_tile_sync) {
  __shared__ int of_warp[2];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int sum = cg::reduce(warp, thread_in_grid(), cg::plus<int>());
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = sum;
  warp.sync();
  if (block.thread_rank() == 0) b[0] = of_warp[0] + of_warp[1];
}
// Only half of the warp is active, and syncs.
#define ACTIVE(label, name, sync)                  \
  label(1, 32, group_active_##name) {              \
    __shared__ int s[32];                          \
    const int t = static_cast<int>(threadIdx.x);   \
    if (t % 2 == 0) {                              \
      const auto active = cg::coalesced_threads(); \
      (void)active;                                \
      s[t] = t;                                    \
      sync;                                        \
      b[t] = s[30 - t];                            \
    }                                              \
  }
ACTIVE(RIGHT, synced, active.sync())
ACTIVE(RACY, not_synced, )
// One lane adds for all that are active.
#define AGGREGATED(label, name, add)                                               \
  label(4, 64, group_aggregated_##name) {                                          \
    if (threadIdx.x % 3 == 0) {                                                    \
      const auto active = cg::coalesced_threads();                                 \
      int at = 0;                                                                  \
      if (active.thread_rank() == 0) at = add;                                     \
      b[(active.shfl(at, 0) + static_cast<int>(active.thread_rank())) % 1024] = 1; \
    }                                                                              \
  }
AGGREGATED(RIGHT, atomic, atomicAdd(a, static_cast<int>(active.size())))
AGGREGATED(RACY, plain, (a[0] += static_cast<int>(active.size())) - static_cast<int>(active.size()))
AGGREGATED(RACY, block_scope, atomicAdd_block(a, static_cast<int>(active.size())))

// A tile goes through shared memory, twice.
#define TWICE(label, name, before, between, after) \
  label(2, 64, tile_twice_##name) {                \
    __shared__ int tile[64];                       \
    const int t = static_cast<int>(threadIdx.x);   \
    int sum = 0;                                   \
    for (int part = 0; part < 2; ++part) {         \
      before;                                      \
      tile[t] = a[part * 64 + t];                  \
      between;                                     \
      for (int i = 0; i < 64; ++i) sum += tile[i]; \
      after;                                       \
    }                                              \
    b[thread_in_grid()] = sum;                     \
  }
TWICE(RIGHT, both, , __syncthreads(), __syncthreads())
TWICE(RIGHT, at_the_start, __syncthreads(), __syncthreads(), )
TWICE(RACY, no_last, , __syncthreads(), )
TWICE(RACY, no_between, __syncthreads(), , )
TWICE(RACY, syncwarp, , __syncwarp(), __syncwarp())

// Without a test of tid, all threads write what one thread should.
#define GUARDED(label, name, who, body)  \
  label(2, 64, guarded_by_tid_##name) {  \
    __shared__ int total;                \
    if (threadIdx.x == 0) total = 0;     \
    __syncthreads();                     \
    atomicAdd(&total, thread_in_grid()); \
    __syncthreads();                     \
    if (who) body;                       \
  }
GUARDED(RIGHT, own_word, threadIdx.x == 0, b[blockIdx.x] = total)
GUARDED(RACY, one_word, threadIdx.x == 0, b[0] = total)
GUARDED(RACY, add_by_all, true, b[blockIdx.x] += total)
GUARDED(RACY, add_by_one_of_each_block, threadIdx.x == 0, b[0] += total)
GUARDED(RIGHT, added_by_atomic, threadIdx.x == 0, atomicAdd(b, total))

// A stack of numbers: push by a counter, then the pops of another phase, or of the same.
#define STACK(label, name, between, pop)                    \
  label(1, 64, stack_##name) {                              \
    const int at = atomicAdd(c, 1);                         \
    b[at] = thread_in_grid();                               \
    between;                                                \
    const int top = pop - 1;                                \
    if (top >= 0 && top < 64) a[thread_in_grid()] = b[top]; \
  }
STACK(RIGHT, behind_a_barrier, __syncthreads(), atomicSub(c, 1))
STACK(RACY, at_once, , atomicSub(c, 1))
STACK(RACY, plain_top, __syncthreads(), c[0]--)

// A ring between two warps: one fills, one empties.
#define RING(label, name, fill_fence, empty_fence) \
  label(1, 64, ring_##name) {                      \
    __shared__ int ring[4];                        \
    __shared__ volatile int head, tail;            \
    if (threadIdx.x == 0) head = 0, tail = 0;      \
    __syncthreads();                               \
    if (threadIdx.x == 0) {                        \
      for (int i = 0; i < 8; ++i) {                \
        while (i - tail >= 4) {                    \
        }                                          \
        empty_fence;                               \
        ring[i % 4] = i;                           \
        fill_fence;                                \
        head = i + 1;                              \
      }                                            \
    } else if (threadIdx.x == 32) {                \
      for (int i = 0; i < 8; ++i) {                \
        while (head <= i) {                        \
        }                                          \
        fill_fence;                                \
        b[i] = ring[i % 4];                        \
        empty_fence;                               \
        tail = i + 1;                              \
      }                                            \
    }                                              \
  }
RING(RIGHT, fences, __threadfence_block(), __threadfence_block())
RING(RACY, no_fences, , )
RING(RACY, no_fence_of_who_fills, , __threadfence_block())
RING(RACY, no_fence_of_who_empties, __threadfence_block(), )

// Readers of a flag in shared memory without a fence.
#define READER(label, name, raise, wait, fence) \
  label(1, 64, shared_reader_##name) {          \
    __shared__ int data, flag;                  \
    volatile int *const at = &flag;             \
    (void)at;                                   \
    if (threadIdx.x == 0) flag = 0, data = 0;   \
    __syncthreads();                            \
    if (threadIdx.x == 0) {                     \
      data = 42;                                \
      __threadfence_block();                    \
      raise;                                    \
    } else if (threadIdx.x == 32) {             \
      while (wait) {                            \
      }                                         \
      fence;                                    \
      b[0] = data;                              \
    }                                           \
  }
READER(RIGHT, fence, *at = 1, *at == 0, __threadfence_block())
READER(RIGHT, device_fence, *at = 1, *at == 0, DEVICE)
READER(RIGHT, atomic, atomicExch(&flag, 1), atomicAdd(&flag, 0) == 0, )
READER(RACY, no_fence, *at = 1, *at == 0, )
READER(RACY, syncwarp_for_fence, *at = 1, *at == 0, __syncwarp(1))
#define SHARED_LOCK(label, name, word, enter, leave) \
  label(1, 64, shared_lock_##name) {                 \
    __shared__ word sum;                             \
    __shared__ int lock;                             \
    if (threadIdx.x == 0) sum = 0, lock = 0;         \
    __syncthreads();                                 \
    if (threadIdx.x % 32 == 0) {                     \
      while (atomicCAS(&lock, 0, 1) != 0) {          \
      }                                              \
      enter;                                         \
      sum = sum + 1;                                 \
      leave;                                         \
      atomicExch(&lock, 0);                          \
    }                                                \
    __syncthreads();                                 \
    if (threadIdx.x == 0) b[0] = sum;                \
  }
SHARED_LOCK(RIGHT, fences, int, __threadfence_block(), __threadfence_block())
SHARED_LOCK(RACY, no_fence_at_the_start, int, , __threadfence_block())
SHARED_LOCK(RACY, no_fence_at_the_end, int, __threadfence_block(), )
SHARED_LOCK(RIGHT, volatile_fences, volatile int, __threadfence_block(), __threadfence_block())
SHARED_LOCK(RACY, volatile_no_fence_at_the_start, volatile int, , __threadfence_block())
SHARED_LOCK(RACY, volatile_no_fences, volatile int, , )
// A ticket in shared memory: the last warp reads what the others have left.
#define LAST_OF_WARPS(label, name, word, fence)                                    \
  label(1, 128, shared_last_warp_##name) {                                         \
    __shared__ word left[4];                                                       \
    __shared__ int count;                                                          \
    if (threadIdx.x == 0) count = 0;                                               \
    __syncthreads();                                                               \
    if (threadIdx.x % 32 == 0) {                                                   \
      left[threadIdx.x / 32] = thread_in_grid();                                   \
      fence;                                                                       \
      if (atomicAdd(&count, 1) == 3) b[0] = left[0] + left[1] + left[2] + left[3]; \
    }                                                                              \
  }
LAST_OF_WARPS(RIGHT, fence, int, __threadfence_block())
LAST_OF_WARPS(RACY, no_fence, int, )
LAST_OF_WARPS(RIGHT, volatile_fence, volatile int, __threadfence_block())
LAST_OF_WARPS(RACY, volatile_no_fence, volatile int, )

// Copies within shared memory that overlap.
#define SHIFT(label, name, between, after)       \
  label(1, 64, shift_##name) {                   \
    __shared__ int s[65];                        \
    const int t = static_cast<int>(threadIdx.x); \
    s[t] = t;                                    \
    if (t == 0) s[64] = 0;                       \
    __syncthreads();                             \
    const int next = s[t + 1];                   \
    between;                                     \
    s[t] = next;                                 \
    after;                                       \
    b[t] = s[t];                                 \
  }
SHIFT(RIGHT, barrier, __syncthreads(), )
SHIFT(RACY, no_barrier, , )
SHIFT(RACY, syncwarp, __syncwarp(), )
// All warps of a block meet at a counter.
#define MEET(label, name, before, behind)             \
  label(1, 128, shared_counter_meet_##name) {         \
    __shared__ int count, left[4];                    \
    const int w = static_cast<int>(threadIdx.x / 32); \
    if (threadIdx.x == 0) count = 0;                  \
    __syncthreads();                                  \
    if (threadIdx.x % 32 == 0) {                      \
      left[w] = w;                                    \
      before;                                         \
      atomicAdd(&count, 1);                           \
      volatile int *const arrived = &count;           \
      while (*arrived < 4) {                          \
      }                                               \
      behind;                                         \
      b[w] = left[3 - w];                             \
    }                                                 \
  }
MEET(RIGHT, fences, __threadfence_block(), __threadfence_block())
MEET(RACY, no_fence_before, , __threadfence_block())
MEET(RACY, no_fence_behind, __threadfence_block(), )
// A tile of more than one warp, and one that is not synced.
#define LARGE_TILE(label, name, sync)                 \
  label(1, 128, group_large_tile_##name) {            \
    __shared__ cg::block_tile_memory<128> memory;     \
    __shared__ int s[128];                            \
    const auto block = cg::this_thread_block(memory); \
    const auto tile = cg::tiled_partition<64>(block); \
    (void)tile;                                       \
    s[threadIdx.x] = 1;                               \
    sync;                                             \
    b[threadIdx.x] = s[threadIdx.x ^ 32];             \
  }
LARGE_TILE(RIGHT, synced, tile.sync())
LARGE_TILE(RACY, not_synced, )
// Rounds of sums by tiles: what a lane has met in an earlier round counts no more in a later one, and no less.
__device__ int *shared_words() {
  __shared__ int words[64];
  return words;
}
#define ROUNDS(label, name, size, memory, last)                           \
  label(2, 64, rounds_##name) {                                           \
    const auto tile = cg::tiled_partition<size>(cg::this_thread_block()); \
    const int t = static_cast<int>(tile.thread_rank());                   \
    int *const s = memory - t;                                            \
    int total = 0;                                                        \
    for (int round = 0; round < 6; ++round) {                             \
      s[t] = t + round;                                                   \
      tile.sync();                                                        \
      for (int half = size / 2; half > 0; half /= 2) {                    \
        if (t < half) s[t] += s[t + half];                                \
        tile.sync();                                                      \
      }                                                                   \
      total += s[0];                                                      \
      last;                                                               \
    }                                                                     \
    if (t == 0) atomicAdd(c, total);                                      \
  }
#define IN_SHARED (shared_words() + threadIdx.x)
#define IN_GLOBAL (a + thread_in_grid())
ROUNDS(RIGHT, of_warps_in_shared, 32, IN_SHARED, tile.sync())
ROUNDS(RIGHT, of_warps_in_global, 32, IN_GLOBAL, tile.sync())
ROUNDS(RIGHT, of_tiles_in_shared, 16, IN_SHARED, tile.sync())
ROUNDS(RIGHT, of_tiles_in_global, 8, IN_GLOBAL, tile.sync())
ROUNDS(RACY, of_warps_no_last_sync, 32, IN_SHARED, )
ROUNDS(RACY, of_tiles_in_shared_no_last_sync, 16, IN_SHARED, )
ROUNDS(RACY, of_tiles_in_global_no_last_sync, 8, IN_GLOBAL, )
ROUNDS(RACY, of_tiles_look_at_the_next, 8, IN_SHARED, (total += shared_words()[threadIdx.x ^ 8], tile.sync()))
// Some lanes meet in each round, others in the next.
RIGHT(2, 64, rounds_of_coalesced_lanes) {
  __shared__ int s[64];
  const int t = static_cast<int>(threadIdx.x);
  int sum = 0;
  s[t] = 0;
  __syncthreads();
  for (int round = 0; round < 6; ++round) {
    if (t % 3 != round % 3) {
      const auto active = cg::coalesced_threads();
      if (active.thread_rank() == 0) s[t / 32] = round;
      active.sync();
      sum += s[t / 32];
      active.sync();
    }
    __syncwarp();
  }
  atomicAdd(c, sum);
}
