// Shared memory: plain, volatile and relaxed accesses beside atomics, and flags and locks that guard it.
#include <cuda/atomic>

#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()
using Word = cuda::atomic_ref<int, cuda::thread_scope_block>;
constexpr auto relaxed = cuda::memory_order_relaxed;

// The result of atomics, read while other warps may still be at it.
#define SUM(label, name, update, read) \
  label(1, 64, shared_sum_##name) {    \
    __shared__ int s;                  \
    if (threadIdx.x == 0) s = 0;       \
    __syncthreads();                   \
    if (threadIdx.x % 32 == 0) {       \
      update;                          \
      a[threadIdx.x / 32] = read;      \
    }                                  \
  }
SUM(RACY, read_at_once, atomicAdd(&s, 1), s)
SUM(RIGHT, read_by_atomic, atomicAdd(&s, 1), atomicAdd(&s, 0))
SUM(RIGHT, read_volatile, atomicAdd(&s, 1), *static_cast<volatile int *>(&s))
SUM(RIGHT, read_relaxed, Word(s).fetch_add(1, relaxed), Word(s).load(relaxed))
SUM(RACY, plain_beside_relaxed, Word(s).fetch_add(1, relaxed), s)
RACY(1, 64, shared_sum_read_by_the_last_warp) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, 1);
  if (threadIdx.x == 32) a[0] = s;
}
RIGHT(1, 64, shared_sum_read_behind_a_barrier) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, 1);
  __syncthreads();
  if (threadIdx.x == 32) a[0] = s;
}
RIGHT(1, 64, shared_atomics_then_own_plain_read) {
  __shared__ int s[2];
  if (threadIdx.x < 2) s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&s[threadIdx.x / 32], 1);
    a[threadIdx.x / 32] = s[threadIdx.x / 32];
    atomicAdd(&s[threadIdx.x / 32], 1);
  }
}

// Words by which threads ask each other to stop, or wait for each other; no data goes with them.
RIGHT(1, 64, shared_stop_relaxed) {
  __shared__ int stop;
  if (threadIdx.x == 0) stop = 0;
  __syncthreads();
  for (int i = 0; i < 50 && !Word(stop).load(relaxed); ++i)
    if (static_cast<int>(threadIdx.x) == 7 + i) Word(stop).store(1, relaxed);
}
RIGHT(1, 64, shared_stop_volatile) {
  __shared__ volatile int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  for (int i = 0; i < 50 && !found; ++i)
    if (static_cast<int>(threadIdx.x) == 40 - i) found = 1;
}
RACY(1, 64, shared_stop_plain) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (threadIdx.x == 5) found = 1;
  if (found) a[threadIdx.x] = 1;
}
RIGHT(1, 64, shared_count_awaited) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&s, 1);
    while (*static_cast<volatile int *>(&s) < 2) {
    }
  }
}
// Data goes with the flag.
#define TOLD(label, name, word, fence, raise, wait) \
  label(1, 64, shared_told_##name) {                \
    __shared__ word data;                           \
    __shared__ int flag;                            \
    volatile int *const at = &flag;                 \
    (void)at;                                       \
    if (threadIdx.x == 0) flag = 0, data = 0;       \
    __syncthreads();                                \
    if (threadIdx.x == 0) {                         \
      data = 42;                                    \
      fence;                                        \
      raise;                                        \
    } else if (threadIdx.x == 32) {                 \
      while (wait) {                                \
      }                                             \
      fence;                                        \
      a[0] = data;                                  \
    }                                               \
  }
TOLD(RIGHT, volatile, volatile int, BLOCK, *at = 1, *at == 0)
TOLD(RACY, volatile_no_fence, volatile int, , *at = 1, *at == 0)
TOLD(RIGHT, plain, int, BLOCK, *at = 1, *at == 0)
TOLD(RACY, plain_no_fence, int, , *at = 1, *at == 0)
TOLD(RACY, relaxed_no_fence, volatile int, , Word(flag).store(1, relaxed), Word(flag).load(relaxed) == 0)
TOLD(RIGHT, relaxed, int, BLOCK, Word(flag).store(1, relaxed), Word(flag).load(relaxed) == 0)
// Lanes that pass words on by volatile memory, as was usual before Volta.
#define VOLATILE_LANES(label, name, sync)                               \
  label(1, 32, shared_volatile_lanes_##name) {                          \
    __shared__ volatile int s[32];                                      \
    s[threadIdx.x] = static_cast<int>(threadIdx.x);                     \
    sync;                                                               \
    for (unsigned half = 16; half > 0; half /= 2) {                     \
      const int other = threadIdx.x < half ? s[threadIdx.x + half] : 0; \
      sync;                                                             \
      if (threadIdx.x < half) s[threadIdx.x] = s[threadIdx.x] + other;  \
      sync;                                                             \
    }                                                                   \
    if (threadIdx.x == 0) a[0] = s[0];                                  \
  }
VOLATILE_LANES(RACY, in_lock_step, )
VOLATILE_LANES(RIGHT, synced, __syncwarp())
// A fence is no barrier of the warp.
#define LANES(label, name, sync)                    \
  label(1, 32, shared_lanes_##name) {               \
    __shared__ int s[32];                           \
    s[threadIdx.x] = static_cast<int>(threadIdx.x); \
    sync;                                           \
    a[threadIdx.x] = s[threadIdx.x ^ 1];            \
  }
LANES(RACY, with_a_fence, BLOCK)
LANES(RIGHT, synced, BLOCK; __syncwarp())

// Shared data that a lock or a flag in global memory guards.
#define LOCKED_SHARED(label, name, enter, leave)      \
  label(2, 64, shared_lock_in_global_memory_##name) { \
    __shared__ int sum;                               \
    if (threadIdx.x == 0) sum = 0;                    \
    __syncthreads();                                  \
    if (threadIdx.x % 32 == 0) {                      \
      while (atomicCAS(b + blockIdx.x, 0, 1) != 0) {  \
      }                                               \
      enter;                                          \
      sum += 1;                                       \
      leave;                                          \
      atomicExch(b + blockIdx.x, 0);                  \
    }                                                 \
    __syncthreads();                                  \
    if (threadIdx.x == 0) a[blockIdx.x] = sum;        \
  }
LOCKED_SHARED(RIGHT, fences, DEVICE, DEVICE)
LOCKED_SHARED(RACY, no_fence_at_the_end, DEVICE, )
// Warps communicate by a counter in shared memory; the last of them signals another block.
#define TOLD_ON(label, name, own)                              \
  label(2, 64, shared_counter_then_global_flag_##name) {       \
    __shared__ int done;                                       \
    if (threadIdx.x == 0) done = 0;                            \
    __syncthreads();                                           \
    if (blockIdx.x == 0) {                                     \
      a[threadIdx.x] = 1;                                      \
      own;                                                     \
      if (threadIdx.x % 32 == 0 && atomicAdd(&done, 1) == 1) { \
        DEVICE;                                                \
        atomicExch(b, 1);                                      \
      }                                                        \
    } else {                                                   \
      if (threadIdx.x == 0) {                                  \
        while (atomicAdd(b, 0) == 0) {                         \
        }                                                      \
        DEVICE;                                                \
      }                                                        \
      __syncthreads();                                         \
      c[threadIdx.x] = a[threadIdx.x];                         \
    }                                                          \
  }
TOLD_ON(RIGHT, fences, __syncwarp(); DEVICE)
TOLD_ON(RACY, no_fence_of_the_other_warps, )

// Named barriers order those who take part.
#define NAMED(label, name, first, second)                         \
  label(1, 128, shared_named_barrier_##name) {                    \
    __shared__ int s[64];                                         \
    if (threadIdx.x < 64) {                                       \
      s[threadIdx.x] = static_cast<int>(threadIdx.x);             \
      asm volatile("bar." first ";" ::: "memory");                \
      if (threadIdx.x < 32) a[threadIdx.x] = s[threadIdx.x + 32]; \
    } else {                                                      \
      asm volatile("bar." second ";" ::: "memory");               \
      b[threadIdx.x] = s[threadIdx.x - 64];                       \
    }                                                             \
  }
NAMED(RIGHT, of_all, "sync 1, 128", "sync 1, 128")
NAMED(RACY, of_two_halves, "sync 1, 64", "sync 2, 64")
#define BAR(what) asm volatile("bar." what ", 64;" ::: "memory")
#define ARRIVE(label, name, after)            \
  label(1, 64, shared_named_barrier_##name) { \
    __shared__ int s[32];                     \
    if (threadIdx.x < 32) {                   \
      s[threadIdx.x] = 1;                     \
      BAR("arrive 1");                        \
      after;                                  \
    } else {                                  \
      BAR("sync 1");                          \
      a[threadIdx.x] = s[threadIdx.x - 32];   \
    }                                         \
  }
ARRIVE(RIGHT, where_one_arrives, (void)0)
ARRIVE(RACY, written_after_arriving, s[threadIdx.x] = 2)
RIGHT(1, 64, shared_named_barrier_of_a_producer) {
  __shared__ int s[32];
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x < 32) {
      if (i > 0) BAR("sync 2");
      s[threadIdx.x] = i;
      BAR("arrive 1");
    } else {
      BAR("sync 1");
      a[threadIdx.x] += s[threadIdx.x - 32];
      if (i < 3) BAR("arrive 2");
    }
  }
}

// Two warps take turns; each sleeps once it has looked often, as libcu++ waits.
RIGHT(1, 64, shared_turns_asleep) {
  __shared__ int turn, x;
  if (threadIdx.x == 0) turn = x = 0;
  __syncthreads();
  const int me = static_cast<int>(threadIdx.x) / 32;
  for (int i = 0; i < 20; ++i) {
    for (int looks = 0; Word(turn).load(cuda::memory_order_acquire) % 2 != me;)
      if (++looks > 16) __nanosleep(20);
    if (threadIdx.x % 32 == 0) {
      a[2 * i + me] = x += me + 1;
      Word(turn).fetch_add(1, cuda::memory_order_release);
    }
    __syncwarp();
  }
}

// A word that one lane writes and all lanes of its warp read: the first of the readers is the writer.
#define FIRST_LANE(label, name, memory, between) \
  label(1, 32, one_lane_writes_##name) {         \
    memory;                                      \
    int sum = 0;                                 \
    for (int i = 0; i < 3; ++i) {                \
      if (threadIdx.x == 0) word[i] = i;         \
      between;                                   \
      sum += word[i];                            \
    }                                            \
    c[threadIdx.x] = sum;                        \
  }
FIRST_LANE(RACY, shared, __shared__ int word[3], )
FIRST_LANE(RIGHT, shared_and_syncs, __shared__ int word[3], __syncwarp())
FIRST_LANE(RACY, global, int *const word = a, )
FIRST_LANE(RIGHT, global_and_syncs, int *const word = a, __syncwarp())
// The lanes have read the word before.
#define FIRST_LANE_AGAIN(label, name, memory, between) \
  label(1, 32, one_lane_writes_again_##name) {         \
    memory;                                            \
    if (threadIdx.x == 0) *word = 1;                   \
    __syncwarp();                                      \
    int sum = *word;                                   \
    __syncwarp();                                      \
    if (threadIdx.x == 0) *word = sum + 1;             \
    between;                                           \
    c[threadIdx.x] = sum + *word;                      \
  }
FIRST_LANE_AGAIN(RACY, shared, __shared__ int word[1], )
FIRST_LANE_AGAIN(RIGHT, shared_and_syncs, __shared__ int word[1], __syncwarp())
FIRST_LANE_AGAIN(RACY, global, int *const word = a, )
FIRST_LANE_AGAIN(RIGHT, global_and_syncs, int *const word = a, __syncwarp())
