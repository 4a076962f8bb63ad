// Flags, locks, last blocks and scopes: what fences and atomics order, and what they do not.
#include "labels.cuh"

// Block 0 leaves a word and raises a flag; block 1 waits for the flag and reads the word. data and flag are
// volatile, or reached by atomics, as each program says.
#define FLAG(label, name, word, before, raise, after, wait, between) \
  label(2, 32, flag_##name) {                                        \
    if (threadIdx.x != 0) return;                                    \
    word *const data = a;                                            \
    volatile int *const flag = b;                                    \
    (void)flag;                                                      \
    if (blockIdx.x == 0) {                                           \
      data[0] = 42;                                                  \
      before;                                                        \
      raise;                                                         \
      after;                                                         \
    } else {                                                         \
      while (wait) {                                                 \
      }                                                              \
      between;                                                       \
      c[0] = data[0];                                                \
    }                                                                \
  }
#define DEVICE __threadfence()
#define BLOCK __threadfence_block()
FLAG(RIGHT, device_fences, int, DEVICE, *flag = 1, , *flag == 0, DEVICE)
FLAG(RIGHT, volatile_device_fences, volatile int, DEVICE, *flag = 1, , *flag == 0, DEVICE)
FLAG(RIGHT, volatile_fence_of_the_writer, volatile int, DEVICE, *flag = 1, , *flag == 0, )
FLAG(RIGHT, system_fences, int, __threadfence_system(), *flag = 1, , *flag == 0, __threadfence_system())
FLAG(RIGHT, by_exchange, int, DEVICE, atomicExch(b, 1), , atomicAdd(b, 0) == 0, DEVICE)
FLAG(RIGHT, by_exchange_polled_by_atomic, int, DEVICE, atomicExch(b, 1), , atomicAdd(b, 0) == 0, )
FLAG(RIGHT, volatile_by_exchange, volatile int, DEVICE, atomicExch(b, 1), , *flag == 0, DEVICE)
FLAG(RIGHT, by_system_exchange, int, DEVICE, atomicExch_system(b, 1), , *flag == 0, DEVICE)
FLAG(RACY, no_fence, int, , *flag = 1, , *flag == 0, )
FLAG(RACY, no_fence_of_the_writer, int, , *flag = 1, , *flag == 0, DEVICE)
FLAG(RACY, volatile_no_fence, volatile int, , *flag = 1, , *flag == 0, )
FLAG(RACY, volatile_no_fence_of_the_writer, volatile int, , *flag = 1, , *flag == 0, DEVICE)
FLAG(RACY, block_fence, int, BLOCK, *flag = 1, , *flag == 0, DEVICE)
FLAG(RACY, volatile_block_fence, volatile int, BLOCK, *flag = 1, , *flag == 0, DEVICE)
FLAG(RACY, volatile_block_fences, volatile int, BLOCK, *flag = 1, , *flag == 0, BLOCK)
FLAG(RACY, fence_too_late, int, , *flag = 1, DEVICE, *flag == 0, DEVICE)
FLAG(RACY, volatile_fence_too_late, volatile int, , *flag = 1, DEVICE, *flag == 0, DEVICE)
FLAG(RACY, reader_without_fence, int, DEVICE, *flag = 1, , *flag == 0, )
FLAG(RACY, reader_with_block_fence, int, DEVICE, *flag = 1, , *flag == 0, BLOCK)
FLAG(RACY, by_block_exchange, int, DEVICE, atomicExch_block(b, 1), , atomicAdd(b, 0) == 0, DEVICE)
FLAG(RACY, volatile_by_block_exchange, volatile int, DEVICE, atomicExch_block(b, 1), , *flag == 0, DEVICE)
FLAG(RACY, polled_by_block_atomic, int, DEVICE, atomicExch(b, 1), , atomicAdd_block(b, 0) == 0, DEVICE)
FLAG(RACY, by_exchange_no_fence, int, , atomicExch(b, 1), , atomicAdd(b, 0) == 0, )
FLAG(RACY, plain_flag, int, DEVICE, b[0] = 1, , *flag == 0, DEVICE)

// The block that waits comes first.
#define REVERSED(label, name, word, before)    \
  label(2, 32, flag_of_a_later_block_##name) { \
    if (threadIdx.x != 0) return;              \
    word *const data = a;                      \
    volatile int *const flag = b;              \
    if (blockIdx.x == 1) {                     \
      data[0] = 42;                            \
      before;                                  \
      *flag = 1;                               \
    } else {                                   \
      while (*flag == 0) {                     \
      }                                        \
      DEVICE;                                  \
      c[0] = data[0];                          \
    }                                          \
  }
REVERSED(RIGHT, device_fences, int, DEVICE)
REVERSED(RIGHT, volatile_device_fences, volatile int, DEVICE)
REVERSED(RACY, no_fence, int, )
REVERSED(RACY, volatile_block_fence, volatile int, BLOCK)
// All blocks meet at a barrier of their own making, twice.
#define GRID_BARRIER(label, name, before)                                         \
  label(4, 64, grid_barrier_##name) {                                             \
    for (int round = 1; round <= 2; ++round) {                                    \
      a[(round - 1) * 256 + thread_in_grid()] = round;                            \
      __syncthreads();                                                            \
      if (threadIdx.x == 0) {                                                     \
        before;                                                                   \
        atomicAdd(b, 1);                                                          \
        volatile int *const arrived = b;                                          \
        while (*arrived < 4 * round) {                                            \
        }                                                                         \
        before;                                                                   \
      }                                                                           \
      __syncthreads();                                                            \
      c[thread_in_grid()] = a[(round - 1) * 256 + (thread_in_grid() + 64) % 256]; \
    }                                                                             \
  }
GRID_BARRIER(RIGHT, device_fences, DEVICE)
GRID_BARRIER(RACY, no_fences, )
GRID_BARRIER(RACY, block_fences, BLOCK)

// The same between two warps of one block, where block scope is enough.
#define WARP_FLAG(label, name, word, before, raise, wait, between) \
  label(1, 64, warp_flag_##name) {                                 \
    if (threadIdx.x % 32 != 0) return;                             \
    word *const data = a;                                          \
    volatile int *const flag = b;                                  \
    (void)flag;                                                    \
    if (threadIdx.x == 0) {                                        \
      data[0] = 42;                                                \
      before;                                                      \
      raise;                                                       \
    } else {                                                       \
      while (wait) {                                               \
      }                                                            \
      between;                                                     \
      c[0] = data[0];                                              \
    }                                                              \
  }
WARP_FLAG(RIGHT, block_fences, int, BLOCK, *flag = 1, *flag == 0, BLOCK)
WARP_FLAG(RIGHT, volatile_block_fences, volatile int, BLOCK, *flag = 1, *flag == 0, BLOCK)
WARP_FLAG(RIGHT, by_block_exchange, int, BLOCK, atomicExch_block(b, 1), atomicAdd_block(b, 0) == 0, BLOCK)
WARP_FLAG(RIGHT, device_fences, int, DEVICE, *flag = 1, *flag == 0, DEVICE)
WARP_FLAG(RACY, no_fence, int, , *flag = 1, *flag == 0, )
WARP_FLAG(RACY, volatile_no_fence, volatile int, , *flag = 1, *flag == 0, BLOCK)

// A lock around a counter.
#define LOCK(label, blocks, threads, name, word, take, taken, leave, give) \
  label(blocks, threads, lock_##name) {                                    \
    if (threadIdx.x % 32 != 0) return;                                     \
    word *const data = a;                                                  \
    while (take != 0) {                                                    \
    }                                                                      \
    taken;                                                                 \
    data[0] = data[0] + 1;                                                 \
    leave;                                                                 \
    give;                                                                  \
  }
#define TAKE atomicCAS(b, 0, 1)
#define GIVE atomicExch(b, 0)
LOCK(RIGHT, 4, 32, device, int, TAKE, DEVICE, DEVICE, GIVE)
LOCK(RIGHT, 4, 32, volatile_device, volatile int, TAKE, DEVICE, DEVICE, GIVE)
LOCK(RIGHT, 4, 64, device_of_two_warps, int, TAKE, DEVICE, DEVICE, GIVE)
LOCK(RIGHT, 1, 64, block, int, atomicCAS_block(b, 0, 1), BLOCK, BLOCK, atomicExch_block(b, 0))
LOCK(RIGHT, 1, 128, volatile_block, volatile int, atomicCAS_block(b, 0, 1), BLOCK, BLOCK,
     atomicExch_block(b, 0))
LOCK(RACY, 4, 32, no_fences, int, TAKE, , , GIVE)
LOCK(RACY, 4, 32, volatile_no_fences, volatile int, TAKE, , , GIVE)
LOCK(RACY, 4, 32, no_fence_at_the_end, int, TAKE, DEVICE, , GIVE)
LOCK(RACY, 4, 32, volatile_no_fence_at_the_end, volatile int, TAKE, DEVICE, , GIVE)
LOCK(RACY, 4, 32, no_fence_at_the_start, int, TAKE, , DEVICE, GIVE)
LOCK(RACY, 4, 32, volatile_no_fence_at_the_start, volatile int, TAKE, , DEVICE, GIVE)
LOCK(RACY, 4, 32, block_fences, int, TAKE, BLOCK, BLOCK, GIVE)
LOCK(RACY, 4, 32, volatile_block_fences, volatile int, TAKE, BLOCK, BLOCK, GIVE)
LOCK(RACY, 4, 32, taken_at_block_scope, int, atomicCAS_block(b, 0, 1), DEVICE, DEVICE, GIVE)
LOCK(RACY, 4, 32, given_at_block_scope, int, TAKE, DEVICE, DEVICE, atomicExch_block(b, 0))
LOCK(RACY, 4, 32, volatile_all_block_scope, volatile int, atomicCAS_block(b, 0, 1), BLOCK, BLOCK,
     atomicExch_block(b, 0))
LOCK(RACY, 4, 32, another_in_each_block, int, atomicCAS(b + blockIdx.x, 0, 1), DEVICE, DEVICE,
     atomicExch(b + blockIdx.x, 0))
LOCK(RACY, 2, 64, none_in_one_block, int, (blockIdx.x == 0 ? TAKE : 0), DEVICE, DEVICE, GIVE)

RIGHT(4, 64, lock_of_each_block) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS_block(b + blockIdx.x, 0, 1) != 0) {
  }
  BLOCK;
  a[blockIdx.x] += 1;
  BLOCK;
  atomicExch_block(b + blockIdx.x, 0);
}

// The last block to end sums up what all have left.
#define LAST(label, name, before, count, after, reset)    \
  label(8, 64, last_block_##name) {                       \
    __shared__ bool last;                                 \
    if (threadIdx.x == 0) {                               \
      a[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;   \
      before;                                             \
      last = count == gridDim.x - 1;                      \
      after;                                              \
    }                                                     \
    __syncthreads();                                      \
    if (!last) return;                                    \
    if (threadIdx.x < 8) c[threadIdx.x] = a[threadIdx.x]; \
    if (threadIdx.x == 0) reset;                          \
  }
#define TICKET atomicAdd(b, 1)
LAST(RIGHT, device_fence, DEVICE, TICKET, , b[0] = 0)
LAST(RIGHT, device_fences, DEVICE, TICKET, DEVICE, b[0] = 0)
LAST(RIGHT, system_fence, __threadfence_system(), TICKET, , atomicExch(b, 0))
LAST(RIGHT, increment, DEVICE, atomicInc(reinterpret_cast<unsigned *>(b), gridDim.x - 1), , (void)0)
LAST(RACY, no_fence, , TICKET, , b[0] = 0)
LAST(RACY, block_fence, BLOCK, TICKET, , b[0] = 0)
LAST(RACY, fence_too_late, , TICKET, DEVICE, b[0] = 0)
LAST(RACY, block_scope_ticket, DEVICE, atomicAdd_block(b, 1), , b[0] = 0)
// All threads of the block have left something, and all have fenced, or one after a barrier.
#define LAST_OF_ALL(label, name, before, by_one)                  \
  label(4, 64, last_block_of_all_##name) {                        \
    __shared__ bool last;                                         \
    a[thread_in_grid()] = 1;                                      \
    before;                                                       \
    __syncthreads();                                              \
    if (threadIdx.x == 0) {                                       \
      by_one;                                                     \
      last = atomicAdd(b, 1) == gridDim.x - 1;                    \
    }                                                             \
    __syncthreads();                                              \
    if (!last) return;                                            \
    int sum = 0;                                                  \
    for (unsigned i = threadIdx.x; i < 256; i += 64) sum += a[i]; \
    c[threadIdx.x] = sum;                                         \
  }
LAST_OF_ALL(RIGHT, all_fence, DEVICE, )
LAST_OF_ALL(RIGHT, one_fences, , DEVICE)
LAST_OF_ALL(RACY, nobody_fences, , )
LAST_OF_ALL(RACY, one_fences_for_the_block, , BLOCK)

// Each block takes over what the one before it has summed up.
#define CHAIN(label, name, word, before, between) \
  label(8, 32, chain_##name) {                    \
    if (threadIdx.x != 0) return;                 \
    word *const sums = a;                         \
    volatile int *const ready = b;                \
    int sum = 0;                                  \
    if (blockIdx.x > 0) {                         \
      while (ready[blockIdx.x - 1] == 0) {        \
      }                                           \
      between;                                    \
      sum = sums[blockIdx.x - 1];                 \
    }                                             \
    sums[blockIdx.x] = sum + 1;                   \
    before;                                       \
    ready[blockIdx.x] = 1;                        \
  }
CHAIN(RIGHT, device_fences, int, DEVICE, DEVICE)
CHAIN(RIGHT, volatile_device_fence, volatile int, DEVICE, )
CHAIN(RACY, no_fence, int, , DEVICE)
CHAIN(RACY, volatile_block_fence, volatile int, BLOCK, BLOCK)
// Value and flag in one word need no fence.
RIGHT(8, 32, chain_in_one_word) {
  if (threadIdx.x != 0) return;
  volatile int *const sums = a;
  int sum = 1;
  if (blockIdx.x > 0)
    while ((sum = sums[blockIdx.x - 1]) == 0) {
    }
  sums[blockIdx.x] = sum + 1;
}

// Scopes of atomics that meet.
RACY(4, 32, scope_block_between_blocks) {
  atomicAdd_block(a, 1);
}
RACY(4, 32, scope_block_meets_device) {
  if (blockIdx.x == 0)
    atomicAdd_block(a, 1);
  else
    atomicAdd(a, 1);
}
RACY(4, 32, scope_block_max) {
  atomicMax_block(a + threadIdx.x % 4, thread_in_grid());
}
RIGHT(4, 32, scope_block_of_each_block) {
  atomicAdd_block(a + blockIdx.x, 1);
}
RIGHT(1, 128, scope_block_in_one_block) {
  atomicAdd_block(a, 1);
}
RIGHT(4, 32, scope_system_meets_device) {
  if (blockIdx.x == 0)
    atomicAdd_system(a, 1);
  else
    atomicAdd(a, 1);
}
RIGHT(4, 32, scope_block_then_device_elsewhere) {
  atomicAdd_block(a + 32 + blockIdx.x, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(a, a[32 + blockIdx.x]);
}
// Volatile words beside plain ones and atomics.
RIGHT(4, 32, volatile_beside_atomic) {
  volatile int *const word = a;
  atomicAdd(a, 1);
  c[thread_in_grid()] = *word;
}
RACY(4, 32, volatile_beside_plain) {
  volatile int *const word = a;
  if (thread_in_grid() == 0) a[0] = 1;
  c[thread_in_grid()] = *word;
}
RACY(4, 32, plain_beside_volatile) {
  volatile int *const word = a;
  if (thread_in_grid() == 0) *word = 1;
  c[thread_in_grid()] = a[0];
}
