// Locks whose words are volatile or atomic: PTX knows no data race here, but a lock that misses a fence, that is
// too narrow, or that only one side takes protects nothing. Each faulty program has a right twin.
#include <cuda/atomic>

#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()
#define SPIN(lock)                     \
  while (atomicCAS(lock, 0, 1) != 0) { \
  }

// One thread of each block, or the first lane of each warp, changes a word under a lock.
#define PROTECTED(label, blocks, threads, name, take, enter, change, leave, give) \
  label(blocks, threads, lock_words_##name) {                                     \
    volatile int *const word = a;                                                 \
    (void)word;                                                                   \
    if (threadIdx.x % 32 != 0) return;                                            \
    take;                                                                         \
    enter;                                                                        \
    change;                                                                       \
    leave;                                                                        \
    give;                                                                         \
  }
#define STORE *word = thread_in_grid() + 1
#define ADD *word = *word + 1
#define CAS_LOCK(label, name, enter, change, leave) \
  PROTECTED(label, 4, 32, cas_##name, SPIN(b), enter, change, leave, atomicExch(b, 0))
CAS_LOCK(RIGHT, store, DEVICE, STORE, DEVICE)
CAS_LOCK(RACY, store_no_fence_at_the_end, DEVICE, STORE, )
CAS_LOCK(RACY, store_no_fence_at_the_start, , STORE, DEVICE)
CAS_LOCK(RACY, store_no_fence, , STORE, )
CAS_LOCK(RACY, store_block_fence, BLOCK, STORE, BLOCK)
CAS_LOCK(RACY, store_block_fence_at_the_end, DEVICE, STORE, BLOCK)
CAS_LOCK(RIGHT, add, DEVICE, ADD, DEVICE)
CAS_LOCK(RACY, add_no_fence_at_the_end, DEVICE, ADD, )
CAS_LOCK(RACY, add_no_fence_at_the_start, , ADD, DEVICE)
CAS_LOCK(RACY, add_block_fence, BLOCK, ADD, BLOCK)
// Atomics of one word need no order; two words that belong together do.
CAS_LOCK(RIGHT, atomic_add_no_fence, , atomicAdd(a, 1), )
// One block: the scope of the block is enough.
#define BLOCK_LOCK(label, name, enter, change, leave) \
  PROTECTED(label, 1, 128, block_##name, SPIN(b), enter, change, leave, atomicExch(b, 0))
BLOCK_LOCK(RIGHT, add, BLOCK, ADD, BLOCK)
BLOCK_LOCK(RIGHT, store, BLOCK, STORE, BLOCK)
BLOCK_LOCK(RACY, add_no_fence, , ADD, )
BLOCK_LOCK(RACY, store_no_fence_at_the_end, BLOCK, STORE, )
PROTECTED(RIGHT, 1, 128, block_scope, while (atomicCAS_block(b, 0, 1) != 0){}, BLOCK, ADD, BLOCK,
          atomicExch_block(b, 0))
PROTECTED(RACY, 4, 32, block_scope, while (atomicCAS_block(b, 0, 1) != 0){}, DEVICE, ADD, DEVICE,
          atomicExch_block(b, 0))
PROTECTED(RACY, 4, 32, block_scope_store, while (atomicCAS_block(b, 0, 1) != 0){}, DEVICE, STORE, DEVICE,
          atomicExch_block(b, 0))
PROTECTED(RACY, 4, 32, given_back_in_block_scope, SPIN(b), DEVICE, STORE, DEVICE, atomicExch_block(b, 0))
// Locks by exchange, given back by a volatile store.
#define EXCHANGE_LOCK(label, name, enter, change, leave)                                          \
  PROTECTED(label, 4, 32, exchange_##name, while (atomicExch(b, 1) != 0){}, enter, change, leave, \
            *(volatile int *)b = 0)
EXCHANGE_LOCK(RIGHT, store, DEVICE, STORE, DEVICE)
EXCHANGE_LOCK(RACY, store_no_fence_at_the_end, DEVICE, STORE, )
EXCHANGE_LOCK(RACY, store_no_fence_at_the_start, , STORE, DEVICE)
EXCHANGE_LOCK(RIGHT, add, DEVICE, ADD, DEVICE)
EXCHANGE_LOCK(RACY, add_no_fence_at_the_end, DEVICE, ADD, )
// Ticket locks.
#define TICKET_LOCK(label, name, enter, change, leave)                                                  \
  PROTECTED(label, 4, 32, ticket_##name, const int mine = atomicAdd(b, 1); volatile int *const now = c; \
            while (*now != mine){}, enter, change, leave, *now = mine + 1)
TICKET_LOCK(RIGHT, add, DEVICE, ADD, DEVICE)
TICKET_LOCK(RIGHT, store, DEVICE, STORE, DEVICE)
TICKET_LOCK(RACY, store_no_fence_at_the_end, DEVICE, STORE, )
TICKET_LOCK(RACY, add_no_fence_at_the_end, DEVICE, ADD, )
TICKET_LOCK(RACY, add_block_fence, BLOCK, ADD, BLOCK)
// Locks of libcu++.
template <cuda::thread_scope scope>
__device__ void take_ref(int *lock, cuda::memory_order order) {
  cuda::atomic_ref<int, scope> ref(*lock);
  for (int free = 0; !ref.compare_exchange_strong(free, 1, order, cuda::memory_order_relaxed); free = 0) {
  }
}
#define REF_LOCK(label, blocks, threads, name, scope, acquire, change, release)                \
  PROTECTED(label, blocks, threads, ref_##name,                                                \
            take_ref<cuda::thread_scope_##scope>(b, cuda::memory_order_##acquire), , change, , \
            (cuda::atomic_ref<int, cuda::thread_scope_##scope>(*b).store(0, cuda::memory_order_##release)))
REF_LOCK(RIGHT, 4, 32, store, device, acquire, STORE, release)
REF_LOCK(RIGHT, 4, 32, add, device, acquire, ADD, release)
REF_LOCK(RIGHT, 1, 64, block_scope, block, acquire, ADD, release)
REF_LOCK(RACY, 4, 32, block_scope, block, acquire, STORE, release)
REF_LOCK(RACY, 4, 32, relaxed_release, device, acquire, STORE, relaxed)
REF_LOCK(RACY, 4, 32, relaxed_acquire, device, relaxed, STORE, release)
REF_LOCK(RACY, 4, 32, relaxed_acquire_add, device, relaxed, ADD, release)
REF_LOCK(RIGHT, 4, 32, acq_rel, device, acq_rel, STORE, seq_cst)
// Words that are reached by relaxed atomics of libcu++, not by volatile.
__device__ inline void add_relaxed(int *word) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(*word);
  ref.store(ref.load(cuda::memory_order_relaxed) + 1, cuda::memory_order_relaxed);
}
CAS_LOCK(RIGHT, relaxed_words, DEVICE, add_relaxed(a), DEVICE)
CAS_LOCK(RACY, relaxed_words_no_fence, DEVICE, add_relaxed(a), )

// Which lock: one for both, one for each, a lock on one side only.
#define TWO_SIDES(label, name, first, second, change, other) \
  label(2, 32, lock_words_sides_##name) {                    \
    volatile int *const word = a;                            \
    (void)word;                                              \
    if (threadIdx.x != 0) return;                            \
    int *const lock = blockIdx.x == 0 ? (first) : (second);  \
    if (lock) SPIN(lock);                                    \
    DEVICE;                                                  \
    if (blockIdx.x == 0) {                                   \
      change;                                                \
    } else {                                                 \
      other;                                                 \
    }                                                        \
    DEVICE;                                                  \
    if (lock) atomicExch(lock, 0);                           \
  }
TWO_SIDES(RIGHT, one_lock_store, b, b, STORE, STORE)
TWO_SIDES(RACY, two_locks_add, b, b + 1, ADD, ADD)
TWO_SIDES(RACY, one_side_add_add, b, nullptr, ADD, ADD)
TWO_SIDES(RACY, one_side_add_atomic, b, nullptr, ADD, atomicAdd(a, 5))
TWO_SIDES(RACY, one_side_atomic_add, nullptr, b, atomicAdd(a, 5), ADD)
TWO_SIDES(RIGHT, one_lock_add_atomic, b, b, ADD, atomicAdd(a, 5))
TWO_SIDES(RIGHT, two_locks_atomics, b, b + 1, atomicAdd(a, 1), atomicAdd(a, 5))
TWO_SIDES(RIGHT, two_locks_two_words, b, b + 1, ADD, a[1] = 5)
// Somebody only looks.
TWO_SIDES(RIGHT, look_without_a_lock, b, nullptr, ADD, c[0] = *word)
TWO_SIDES(RIGHT, look_without_a_lock_first, nullptr, b, c[0] = *word, ADD)
TWO_SIDES(RACY, plain_look_without_a_lock, b, nullptr, ADD, c[0] = a[0])
TWO_SIDES(RACY, plain_beside_atomic, b, b + 1, a[0] = 3, atomicAdd(a, 1))

// A lock for each bucket.
#define BUCKETS(label, name, bucket, leave)    \
  label(8, 64, lock_words_buckets_##name) {    \
    volatile int *const sums = a;              \
    if (threadIdx.x % 32 != 0) return;         \
    for (int i = 0; i < 4; ++i) {              \
      const int at = (blockIdx.x + i * 3) % 4; \
      SPIN(b + (bucket));                      \
      DEVICE;                                  \
      sums[at] = sums[at] + 1;                 \
      leave;                                   \
      atomicExch(b + (bucket), 0);             \
    }                                          \
  }
BUCKETS(RIGHT, own_lock, at, DEVICE)
BUCKETS(RIGHT, shared_lock, at / 2, DEVICE)
BUCKETS(RACY, no_fence, at, )
BUCKETS(RACY, block_fence, at, BLOCK)
BUCKETS(RACY, lock_of_the_block, blockIdx.x, DEVICE)

// A transfer takes two locks, in order.
#define TRANSFER(label, name, second, leave)        \
  label(6, 32, lock_words_transfer_##name) {        \
    volatile int *const accounts = a;               \
    if (threadIdx.x != 0) return;                   \
    const int from = blockIdx.x % 3, to = from + 1; \
    SPIN(b + from);                                 \
    if (second) SPIN(b + to);                       \
    DEVICE;                                         \
    accounts[from] = accounts[from] - 1;            \
    accounts[to] = accounts[to] + 1;                \
    leave;                                          \
    if (second) atomicExch(b + to, 0);              \
    leave;                                          \
    atomicExch(b + from, 0);                        \
  }
TRANSFER(RIGHT, both_locks, true, DEVICE)
TRANSFER(RACY, one_lock, false, DEVICE)
TRANSFER(RACY, no_fence, true, )

// Threads that do not get the lock continue without it.
#define TRY_LOCK(label, name, leave)              \
  label(4, 32, lock_words_try_##name) {           \
    volatile int *const word = a;                 \
    if (threadIdx.x != 0) return;                 \
    for (int tries = 0; tries < 4; ++tries)       \
      if (atomicCAS(b, 0, 1) == 0) {              \
        DEVICE;                                   \
        *word = tries + 10 * (int)blockIdx.x + 1; \
        leave;                                    \
        atomicExch(b, 0);                         \
      }                                           \
  }
TRY_LOCK(RIGHT, fences, DEVICE)
TRY_LOCK(RACY, no_fence, )

// Writers and readers: a reader counts itself, a writer waits until there is none.
#define READERS(label, name, enter, leave)             \
  label(4, 32, lock_words_readers_##name) {            \
    volatile int *const word = a;                      \
    if (threadIdx.x != 0) return;                      \
    if (blockIdx.x % 2 == 0) {                         \
      while (atomicCAS(b, 0, -1) != 0) {               \
      }                                                \
      enter;                                           \
      word[0] = word[0] + 1;                           \
      word[1] = word[1] + 1;                           \
      leave;                                           \
      atomicExch(b, 0);                                \
    } else {                                           \
      for (int old = atomicAdd(b, 0);;) {              \
        if (old < 0) {                                 \
          old = atomicAdd(b, 0);                       \
          continue;                                    \
        }                                              \
        const int before = atomicCAS(b, old, old + 1); \
        if (before == old) break;                      \
        old = before;                                  \
      }                                                \
      enter;                                           \
      c[blockIdx.x] = word[0] - word[1];               \
      leave;                                           \
      atomicSub(b, 1);                                 \
    }                                                  \
  }
READERS(RIGHT, fences, DEVICE, DEVICE)
READERS(RACY, no_fence_at_the_end, DEVICE, )

// Two warps of one block, of which one misses a fence, in either order; plain words.
#define TWO_WARPS(label, name, first, second, end_first, end_second) \
  label(1, 64, lock_words_two_warps_##name) {                        \
    if (threadIdx.x == 0) {                                          \
      SPIN(b);                                                       \
      first;                                                         \
      a[0] += 1;                                                     \
      end_first;                                                     \
      atomicExch(b, 0);                                              \
    } else if (threadIdx.x == 32) {                                  \
      SPIN(b);                                                       \
      second;                                                        \
      a[0] += 2;                                                     \
      end_second;                                                    \
      atomicExch(b, 0);                                              \
    }                                                                \
  }
TWO_WARPS(RIGHT, device, DEVICE, DEVICE, DEVICE, DEVICE)
TWO_WARPS(RIGHT, block, BLOCK, BLOCK, BLOCK, BLOCK)
TWO_WARPS(RACY, first_enters, , DEVICE, DEVICE, DEVICE)
TWO_WARPS(RACY, second_enters, DEVICE, , DEVICE, DEVICE)
TWO_WARPS(RACY, first_leaves, DEVICE, DEVICE, , DEVICE)
TWO_WARPS(RACY, second_leaves, DEVICE, DEVICE, DEVICE, )
// The same of the warps of a shared lock.
#define SHARED_WARPS(label, name, first, second, end_first, end_second) \
  label(1, 64, lock_words_shared_##name) {                              \
    __shared__ int lock, sum;                                           \
    if (threadIdx.x == 0) lock = sum = 0;                               \
    __syncthreads();                                                    \
    if (threadIdx.x == 0) {                                             \
      SPIN(&lock);                                                      \
      first;                                                            \
      sum += 1;                                                         \
      end_first;                                                        \
      atomicExch(&lock, 0);                                             \
    } else if (threadIdx.x == 32) {                                     \
      SPIN(&lock);                                                      \
      second;                                                           \
      sum += 2;                                                         \
      end_second;                                                       \
      atomicExch(&lock, 0);                                             \
    }                                                                   \
  }
SHARED_WARPS(RIGHT, block, BLOCK, BLOCK, BLOCK, BLOCK)
SHARED_WARPS(RACY, first_enters, , BLOCK, BLOCK, BLOCK)
SHARED_WARPS(RACY, second_enters, BLOCK, , BLOCK, BLOCK)
SHARED_WARPS(RACY, first_leaves, BLOCK, BLOCK, , BLOCK)
SHARED_WARPS(RACY, second_leaves, BLOCK, BLOCK, BLOCK, )
