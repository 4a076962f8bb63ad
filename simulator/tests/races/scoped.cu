// Small programs about the scope of atomics and fences: who hands a word to whom, how far that reaches, and
// what is left out.
#include <cuda/atomic>

#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()

// Two blocks, or two warps of one block: the first writes, the second waits and reads. The word and the flag
// are volatile, plain, or reached by atomics of a scope.
#define HAND_OVER(label, blocks, threads, name, first, second, write, fence, raise, wait, read) \
  label(blocks, threads, hand_over_##name) {                                                    \
    volatile int *const word = a, *const flag = b;                                              \
    (void)word, (void)flag;                                                                     \
    if (first) {                                                                                \
      write;                                                                                    \
      fence;                                                                                    \
      raise;                                                                                    \
    } else if (second) {                                                                        \
      while (wait) {                                                                            \
      }                                                                                         \
      fence;                                                                                    \
      read;                                                                                     \
    }                                                                                           \
  }
#define BLOCKS_OF_ONE threadIdx.x == 0 && blockIdx.x == 0, threadIdx.x == 0 && blockIdx.x == 1
#define WARPS_OF_ONE threadIdx.x == 0, threadIdx.x == 32
#define HAND_OVER_(...) HAND_OVER(__VA_ARGS__)
// Exchange by block scope in both places, with the right fences: between blocks that is too narrow.
HAND_OVER_(RACY, 2, 32, exchange_block_blocks, BLOCKS_OF_ONE, atomicExch_block(a, 1), DEVICE,
           atomicExch_block(b, 1), atomicAdd_block(b, 0) == 0, c[0] = atomicAdd_block(a, 0))
HAND_OVER_(RIGHT, 1, 64, exchange_block_warps, WARPS_OF_ONE, atomicExch_block(a, 1), BLOCK,
           atomicExch_block(b, 1), atomicAdd_block(b, 0) == 0, c[0] = atomicAdd_block(a, 0))
HAND_OVER_(RIGHT, 2, 32, exchange_device_blocks, BLOCKS_OF_ONE, atomicExch(a, 1), DEVICE, atomicExch(b, 1),
           atomicAdd(b, 0) == 0, c[0] = atomicAdd(a, 0))
// The word by block scope, the flag by device scope.
HAND_OVER_(RACY, 2, 32, narrow_word, BLOCKS_OF_ONE, atomicExch_block(a, 1), , atomicExch(b, 1), *flag == 0,
           c[0] = atomicAdd(a, 0))
HAND_OVER_(RACY, 2, 32, narrow_reader, BLOCKS_OF_ONE, atomicExch(a, 1), , atomicExch(b, 1), *flag == 0,
           c[0] = atomicAdd_block(a, 0))
HAND_OVER_(RACY, 2, 32, narrow_flag, BLOCKS_OF_ONE, a[0] = 1, DEVICE, atomicExch_block(b, 1), *flag == 0,
           c[0] = a[0])
// Volatile flags and words.
HAND_OVER_(RIGHT, 2, 32, volatile_device_fence, BLOCKS_OF_ONE, *word = 1, DEVICE, *flag = 1, *flag == 0,
           c[0] = *word)
HAND_OVER_(RACY, 2, 32, volatile_block_fence, BLOCKS_OF_ONE, *word = 1, BLOCK, *flag = 1, *flag == 0,
           c[0] = *word)
HAND_OVER_(RACY, 2, 32, volatile_no_fence, BLOCKS_OF_ONE, *word = 1, , *flag = 1, *flag == 0, c[0] = *word)
HAND_OVER_(RIGHT, 1, 64, volatile_block_fence_warps, WARPS_OF_ONE, *word = 1, BLOCK, *flag = 1, *flag == 0,
           c[0] = *word)
HAND_OVER_(RACY, 1, 64, volatile_no_fence_warps, WARPS_OF_ONE, *word = 1, , *flag = 1, *flag == 0,
           c[0] = *word)
HAND_OVER_(RACY, 1, 64, plain_no_fence_warps, WARPS_OF_ONE, a[0] = 1, , *flag = 1, *flag == 0, c[0] = a[0])

// The writer's whole block writes, one thread releases; the reader's whole block reads, one thread waits.
#define BY_BLOCKS(label, name, own, barrier, tell, after) \
  label(2, 64, blocks_##name) {                           \
    volatile int *const flag = b;                         \
    if (blockIdx.x == 0) {                                \
      a[threadIdx.x] = 1;                                 \
      own;                                                \
      barrier;                                            \
      if (threadIdx.x == 0) {                             \
        tell;                                             \
        *flag = 1;                                        \
      }                                                   \
    } else {                                              \
      if (threadIdx.x == 0) {                             \
        while (*flag == 0) {                              \
        }                                                 \
        DEVICE;                                           \
      }                                                   \
      after;                                              \
      c[threadIdx.x] = a[63 - threadIdx.x];               \
    }                                                     \
  }
BY_BLOCKS(RIGHT, all_fence, DEVICE, __syncthreads(), , __syncthreads())
BY_BLOCKS(RIGHT, one_fences, , __syncthreads(), DEVICE, __syncthreads())
BY_BLOCKS(RACY, no_fence, , __syncthreads(), , __syncthreads())
BY_BLOCKS(RACY, no_barrier_of_the_writer, DEVICE, , DEVICE, __syncthreads())
BY_BLOCKS(RACY, no_barrier_of_the_reader, DEVICE, __syncthreads(), DEVICE, )
BY_BLOCKS(RACY, block_fence, BLOCK, __syncthreads(), BLOCK, __syncthreads())

// Work is stolen: each block has a queue with its own head; a block with none left takes from its neighbour.
#define STEAL(label, name, own, others)                                       \
  label(4, 32, steal_##name) {                                                \
    if (threadIdx.x != 0) return;                                             \
    int *const head = b + blockIdx.x, *const next = b + (blockIdx.x + 1) % 4; \
    for (int i = 0; i < 4; ++i) {                                             \
      const int at = own(head, 1);                                            \
      atomicAdd(a + blockIdx.x * 64 + at, 1);                                 \
    }                                                                         \
    const int at = others(next, 1);                                           \
    atomicAdd(a + (blockIdx.x + 1) % 4 * 64 + at, 1);                         \
  }
STEAL(RIGHT, device_scope, atomicAdd, atomicAdd)
STEAL(RACY, own_block_scope, atomicAdd_block, atomicAdd)
STEAL(RACY, others_block_scope, atomicAdd, atomicAdd_block)

// A lock by cuda::atomic, with a scope; what it guards is plain.
#define LOCKED(label, blocks, name, scope, enter, leave)                  \
  label(blocks, 64, locked_##name) {                                      \
    if (threadIdx.x % 32 != 0) return;                                    \
    cuda::atomic_ref<int, cuda::scope> lock(b[0]);                        \
    int free = 0;                                                         \
    while (!lock.compare_exchange_strong(free, 1, cuda::enter)) free = 0; \
    a[0] += 1;                                                            \
    lock.store(0, cuda::leave);                                           \
  }
LOCKED(RIGHT, 4, device, thread_scope_device, memory_order_acquire, memory_order_release)
LOCKED(RIGHT, 4, device_acq_rel, thread_scope_device, memory_order_acq_rel, memory_order_release)
LOCKED(RIGHT, 4, system, thread_scope_system, memory_order_acquire, memory_order_release)
LOCKED(RIGHT, 1, block, thread_scope_block, memory_order_acquire, memory_order_release)
LOCKED(RACY, 4, block_scope_between_blocks, thread_scope_block, memory_order_acquire, memory_order_release)
LOCKED(RACY, 4, relaxed_release, thread_scope_device, memory_order_acquire, memory_order_relaxed)
LOCKED(RACY, 4, relaxed_acquire, thread_scope_device, memory_order_relaxed, memory_order_release)
LOCKED(RACY, 4, relaxed_both, thread_scope_device, memory_order_relaxed, memory_order_relaxed)

// Fences of cuda::atomic_thread_fence with a scope.
#define FENCED(label, name, before, after)                       \
  label(2, 32, fenced_##name) {                                  \
    if (threadIdx.x != 0) return;                                \
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(b[0]); \
    if (blockIdx.x == 0) {                                       \
      a[0] = 1;                                                  \
      before;                                                    \
      flag.store(1, cuda::memory_order_relaxed);                 \
    } else {                                                     \
      while (flag.load(cuda::memory_order_relaxed) == 0) {       \
      }                                                          \
      after;                                                     \
      c[0] = a[0];                                               \
    }                                                            \
  }
#define FENCE(order, scope) cuda::atomic_thread_fence(cuda::memory_order_##order, cuda::thread_scope_##scope)
FENCED(RIGHT, device, FENCE(release, device), FENCE(acquire, device))
FENCED(RIGHT, sequential, FENCE(seq_cst, device), FENCE(seq_cst, device))
FENCED(RIGHT, system, FENCE(release, system), FENCE(acquire, system))
FENCED(RACY, block_release, FENCE(release, block), FENCE(acquire, device))
FENCED(RACY, block_acquire, FENCE(release, device), FENCE(acquire, block))
FENCED(RACY, no_release, , FENCE(acquire, device))
FENCED(RACY, no_acquire, FENCE(release, device), )

// A sum over blocks by two counters, as in the reduction with one launch; each mistake alone.
#define REDUCE(label, name, scope_of_ticket, fence, look) \
  label(4, 64, reduce_##name) {                           \
    __shared__ int sum;                                   \
    __shared__ bool last;                                 \
    if (threadIdx.x == 0) sum = 0;                        \
    __syncthreads();                                      \
    atomicAdd_block(&sum, 1);                             \
    __syncthreads();                                      \
    if (threadIdx.x == 0) {                               \
      a[blockIdx.x] = sum;                                \
      fence;                                              \
      last = scope_of_ticket(b, 1) == 3;                  \
    }                                                     \
    __syncthreads();                                      \
    if (last && threadIdx.x < 4) atomicAdd(c, look);      \
  }
REDUCE(RIGHT, right, atomicAdd, DEVICE, a[threadIdx.x])
REDUCE(RIGHT, volatile_look, atomicAdd, DEVICE, static_cast<volatile int *>(a)[threadIdx.x])
REDUCE(RACY, no_fence, atomicAdd, , a[threadIdx.x])
REDUCE(RACY, block_fence, atomicAdd, BLOCK, a[threadIdx.x])
REDUCE(RACY, narrow_ticket, atomicAdd_block, DEVICE, a[threadIdx.x])

// Atomics of the system meet the device's; those of a block stay with its own words.
RIGHT(4, 64, histogram_of_each_block) {
  for (int i = 0; i < 8; ++i) atomicAdd_block(a + blockIdx.x * 64 + (threadIdx.x * i) % 64, 1);
}
RACY(4, 64, histogram_of_all_by_block_scope) {
  for (int i = 0; i < 8; ++i) atomicAdd_block(a + (threadIdx.x * i) % 64, 1);
}
RIGHT(4, 64, histogram_merged) {
  atomicAdd_block(a + 64 + blockIdx.x * 64 + threadIdx.x, 1);
  __syncthreads();
  atomicAdd(a + threadIdx.x % 16, a[64 + blockIdx.x * 64 + threadIdx.x]);
}
RACY(4, 64, histogram_merged_without_barrier) {
  atomicAdd_block(a + 64 + blockIdx.x * 64 + (threadIdx.x + 32) % 64, 1);
  atomicAdd(a + threadIdx.x % 16, a[64 + blockIdx.x * 64 + threadIdx.x]);
}
