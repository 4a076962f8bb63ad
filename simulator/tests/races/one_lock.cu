// Which lock: one word needs one lock, for all that store to it. Each faulty program has a right twin.
#include <cuda/atomic>

#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()
#define SPIN(lock)                     \
  while (atomicCAS(lock, 0, 1) != 0) { \
  }
#define STORE *word = thread_in_grid() + 1
#define ADD *word = *word + 1
#define LARGEST \
  if (*word < thread_in_grid() + 9) *word = thread_in_grid() + 9

// Two blocks, each with its change and its lock; without one if that is null.
#define SIDES(label, name, first, second, change, other)    \
  label(2, 32, one_lock_##name) {                           \
    volatile int *const word = a;                           \
    if (threadIdx.x != 0) return;                           \
    int *const lock = blockIdx.x == 0 ? (first) : (second); \
    if (lock) SPIN(lock);                                   \
    DEVICE;                                                 \
    if (blockIdx.x == 0) {                                  \
      change;                                               \
    } else {                                                \
      other;                                                \
    }                                                       \
    DEVICE;                                                 \
    if (lock) atomicExch(lock, 0);                          \
  }
SIDES(RACY, two_locks_store, b, b + 1, STORE, STORE)
SIDES(RIGHT, one_lock_store, b, b, STORE, STORE)
SIDES(RACY, two_locks_largest, b, b + 1, LARGEST, LARGEST)
SIDES(RIGHT, one_lock_largest, b, b, LARGEST, LARGEST)
SIDES(RACY, two_locks_add_store, b, b + 1, ADD, STORE)
SIDES(RIGHT, one_lock_add_store, b, b, ADD, STORE)
SIDES(RACY, first_side_add_store, b, nullptr, ADD, STORE)
SIDES(RACY, first_side_store_add, b, nullptr, STORE, ADD)
SIDES(RACY, second_side_store_add, nullptr, b, STORE, ADD)
SIDES(RACY, second_side_add_store, nullptr, b, ADD, STORE)
SIDES(RACY, first_side_store, b, nullptr, STORE, STORE)
SIDES(RIGHT, one_side_same_value, b, nullptr, *word = 1, *word = 1)
SIDES(RIGHT, two_locks_same_value, b, b + 1, *word = 1, *word = 1)
SIDES(RIGHT, one_side_looks, b, nullptr, ADD, c[0] = *word)
SIDES(RIGHT, other_lock_looks, b, b + 1, ADD, c[0] = *word)
SIDES(RIGHT, other_word, b, b + 1, STORE, word[1] = 7)

// The same of two warps of one block, in global and in shared memory.
#define WARPS(label, name, first, second, change)            \
  label(1, 64, one_lock_warps_##name) {                      \
    volatile int *const word = a;                            \
    if (threadIdx.x % 32 != 0) return;                       \
    int *const lock = threadIdx.x == 0 ? (first) : (second); \
    SPIN(lock);                                              \
    BLOCK;                                                   \
    change;                                                  \
    BLOCK;                                                   \
    atomicExch(lock, 0);                                     \
  }
WARPS(RACY, two_locks, b, b + 1, STORE)
WARPS(RIGHT, one_lock, b, b, STORE)
#define SHARED(label, name, second, change)                            \
  label(1, 64, one_lock_shared_##name) {                               \
    __shared__ int locks[2];                                           \
    __shared__ volatile int sum;                                       \
    if (threadIdx.x == 0) locks[0] = locks[1] = sum = 0;               \
    __syncthreads();                                                   \
    volatile int *const word = &sum;                                   \
    if (threadIdx.x % 32 == 0) {                                       \
      int *const lock = threadIdx.x == 0 ? &locks[0] : &locks[second]; \
      SPIN(lock);                                                      \
      BLOCK;                                                           \
      change;                                                          \
      BLOCK;                                                           \
      atomicExch(lock, 0);                                             \
    }                                                                  \
    __syncthreads();                                                   \
    if (threadIdx.x == 0) c[0] = sum;                                  \
  }
SHARED(RACY, two_locks, 1, STORE)
SHARED(RIGHT, one_lock, 0, STORE)

// Other kinds of locks: by exchange, given back by a volatile store; of libcu++, around relaxed words.
#define EXCHANGE(label, name, second)                 \
  label(2, 32, one_lock_exchange_##name) {            \
    volatile int *const word = a;                     \
    if (threadIdx.x != 0) return;                     \
    int *const lock = blockIdx.x == 0 ? b : (second); \
    while (atomicExch(lock, 1) != 0) {                \
    }                                                 \
    DEVICE;                                           \
    STORE;                                            \
    DEVICE;                                           \
    *(volatile int *)lock = 0;                        \
  }
EXCHANGE(RACY, two_locks, b + 1)
EXCHANGE(RIGHT, one_lock, b)
#define REFERENCE(label, name, second)                                                                  \
  label(2, 32, one_lock_reference_##name) {                                                             \
    if (threadIdx.x != 0) return;                                                                       \
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(*(blockIdx.x == 0 ? b : (second))), word(*a); \
    for (int free = 0; !lock.compare_exchange_strong(free, 1, cuda::memory_order_acquire); free = 0) {  \
    }                                                                                                   \
    word.store(static_cast<int>(blockIdx.x) + 1, cuda::memory_order_relaxed);                           \
    lock.store(0, cuda::memory_order_release);                                                          \
  }
REFERENCE(RACY, two_locks, b + 1)
REFERENCE(RIGHT, one_lock, b)
// One thread takes the lock for its block, another one gives it back.
#define FOR_ALL(label, name, number)            \
  label(2, 64, one_lock_for_all_##name) {       \
    volatile int *const words = a;              \
    int *const lock = b + (number);             \
    if (threadIdx.x == 0) SPIN(lock);           \
    DEVICE;                                     \
    __syncthreads();                            \
    words[threadIdx.x] = thread_in_grid() + 1;  \
    DEVICE;                                     \
    __syncthreads();                            \
    if (threadIdx.x == 40) atomicExch(lock, 0); \
  }
FOR_ALL(RACY, two_locks, blockIdx.x)
FOR_ALL(RIGHT, one_lock, 0)
// A lock for each bucket, of which one is mistaken.
#define BUCKET(label, name, bucket)              \
  label(4, 32, one_lock_bucket_##name) {         \
    volatile int *const last = a;                \
    if (threadIdx.x != 0) return;                \
    const int at = blockIdx.x % 2;               \
    SPIN(b + (bucket));                          \
    DEVICE;                                      \
    last[at] = static_cast<int>(blockIdx.x) + 1; \
    DEVICE;                                      \
    atomicExch(b + (bucket), 0);                 \
  }
BUCKET(RACY, of_the_block, blockIdx.x)
BUCKET(RIGHT, of_its_own, at)

// Hand over hand along a list: the lock of a node protects its words. In the second, that of the node before it does.
#define HAND_OVER_HAND(label, name, held)        \
  label(3, 32, one_lock_hand_over_hand_##name) { \
    volatile int *const values = a;              \
    if (threadIdx.x != 0) return;                \
    SPIN(b);                                     \
    DEVICE;                                      \
    for (int node = 0; node < 4; ++node) {       \
      if (held) SPIN(b + node + 1);              \
      DEVICE;                                    \
      values[node] = values[node] + 1;           \
      DEVICE;                                    \
      atomicExch(b + node, 0);                   \
      if (!(held)) SPIN(b + node + 1);           \
    }                                            \
    DEVICE;                                      \
    atomicExch(b + 4, 0);                        \
  }
HAND_OVER_HAND(RIGHT, next_first, true)
HAND_OVER_HAND(RIGHT, one_at_a_time, false)
#define LISTS(label, name, lock)           \
  label(3, 32, one_lock_lists_##name) {    \
    volatile int *const values = a;        \
    if (threadIdx.x != 0) return;          \
    for (int node = 0; node < 3; ++node) { \
      SPIN(b + (lock));                    \
      DEVICE;                              \
      values[node] = thread_in_grid() + 1; \
      DEVICE;                              \
      atomicExch(b + (lock), 0);           \
    }                                      \
  }
LISTS(RACY, locks_of_the_block, 3 * blockIdx.x + node)
LISTS(RIGHT, lock_of_the_node, node)

// A number that is odd while its words change: writers take a lock, readers look until it is even and the same.
#define SEQUENCE(label, name, lock_of)                \
  label(4, 32, one_lock_sequence_##name) {            \
    volatile int *const number = a;                   \
    volatile int *const words = a + 1;                \
    if (threadIdx.x != 0) return;                     \
    if (blockIdx.x % 2 == 0) {                        \
      int *const lock = b + (lock_of);                \
      SPIN(lock);                                     \
      DEVICE;                                         \
      const int before = *number;                     \
      *number = before + 1;                           \
      DEVICE;                                         \
      words[0] = static_cast<int>(blockIdx.x) + 1;    \
      words[1] = static_cast<int>(blockIdx.x) + 1;    \
      DEVICE;                                         \
      *number = before + 2;                           \
      DEVICE;                                         \
      atomicExch(lock, 0);                            \
    } else {                                          \
      int first, x, y;                                \
      do {                                            \
        first = *number;                              \
        DEVICE;                                       \
        x = words[0];                                 \
        y = words[1];                                 \
        DEVICE;                                       \
      } while ((first & 1) != 0 || first != *number); \
      c[blockIdx.x] = x - y;                          \
    }                                                 \
  }
SEQUENCE(RIGHT, one_lock, 0)
SEQUENCE(RACY, two_locks, blockIdx.x / 2)

// Looked at twice: whoever finds that nobody has made the value makes it under a lock.
#define ONCE(label, name, lock_of, value, fence) \
  label(4, 32, one_lock_once_##name) {           \
    volatile int *const ready = a;               \
    volatile int *const made = a + 1;            \
    if (threadIdx.x != 0) return;                \
    if (*ready == 0) {                           \
      int *const lock = b + (lock_of);           \
      SPIN(lock);                                \
      DEVICE;                                    \
      if (*ready == 0) {                         \
        *made = value;                           \
        fence;                                   \
        *ready = value;                          \
      }                                          \
      DEVICE;                                    \
      atomicExch(lock, 0);                       \
    }                                            \
    DEVICE;                                      \
    c[blockIdx.x] = *made;                       \
  }
ONCE(RIGHT, one_lock, 0, thread_in_grid() + 1, DEVICE)
ONCE(RIGHT, one_value, 0, 7, DEVICE)
#define ALWAYS(label, name, lock_of)                  \
  label(4, 32, one_lock_newest_##name) {              \
    volatile int *const newest = a;                   \
    if (threadIdx.x != 0) return;                     \
    int *const lock = b + (lock_of);                  \
    SPIN(lock);                                       \
    DEVICE;                                           \
    if (*newest >= 0) *newest = thread_in_grid() + 1; \
    DEVICE;                                           \
    atomicExch(lock, 0);                              \
  }
ALWAYS(RIGHT, one_lock, 0)
ALWAYS(RACY, two_locks, blockIdx.x % 2)

// One side fills a place under a lock, the other one empties it without: each waits until the other has done.
RIGHT(2, 32, one_lock_filled_and_emptied) {
  volatile int *const full = a;
  volatile int *const place = a + 1;
  if (threadIdx.x != 0) return;
  for (int round = 1; round <= 3; ++round)
    if (blockIdx.x == 0) {
      SPIN(b);
      DEVICE;
      while (*full != 0) {
      }
      DEVICE;
      *place = round;
      DEVICE;
      *full = 1;
      DEVICE;
      atomicExch(b, 0);
    } else {
      while (*full == 0) {
      }
      DEVICE;
      c[round] = *place;
      DEVICE;
      *full = 0;
    }
}
// Readers count themselves, a writer waits until there is none.
#define READERS(label, name, leaving)                                                                      \
  label(4, 32, one_lock_readers_##name) {                                                                  \
    if (threadIdx.x != 0) return;                                                                          \
    cuda::atomic_ref<int, cuda::thread_scope_device> count(*b);                                            \
    if (blockIdx.x % 2 == 0) {                                                                             \
      for (int free = 0; !count.compare_exchange_strong(free, -1, cuda::memory_order_acquire); free = 0) { \
      }                                                                                                    \
      a[0] = a[1] = static_cast<int>(blockIdx.x) + 1;                                                      \
      count.store(0, cuda::memory_order_##leaving);                                                        \
    } else {                                                                                               \
      for (int seen = 0;                                                                                   \
           seen < 0 || !count.compare_exchange_strong(seen, seen + 1, cuda::memory_order_acquire);)        \
        seen = count.load(cuda::memory_order_relaxed);                                                     \
      c[blockIdx.x] = a[0] - a[1];                                                                         \
      count.fetch_sub(1, cuda::memory_order_##leaving);                                                    \
    }                                                                                                      \
  }
READERS(RIGHT, release, release)
READERS(RACY, relaxed, relaxed)

// Plain words: a race, and the advice says that the locks differ.
#define PLAIN(label, name, first, second)                   \
  label(2, 32, name) {                                      \
    if (threadIdx.x != 0) return;                           \
    int *const lock = blockIdx.x == 0 ? (first) : (second); \
    SPIN(lock);                                             \
    DEVICE;                                                 \
    a[0] += 3;                                              \
    DEVICE;                                                 \
    atomicExch(lock, 0);                                    \
  }
PLAIN(RACY, cure_one_lock__two_locks, b, b + 1)
PLAIN(RIGHT, cured_two_locks, b, b)
RACY(2, 32, cure_one_lock__one_side) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    SPIN(b);
    DEVICE;
    a[0] = 1;
    DEVICE;
    atomicExch(b, 0);
  } else {
    a[0] = 2;
  }
}
