// Flags that are polled, locks that are taken and words that are changed in two steps, as programs have them:
// in loops with a body, in functions and classes, by lanes in turn.
#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()

// Block 0 leaves a volatile word and raises a flag; block 1 waits in some way.
#define POLL(label, name, fence, raise, wait, behind) \
  label(2, 32, poll_##name) {                         \
    if (threadIdx.x != 0) return;                     \
    volatile int *const word = a, *const flag = b;    \
    (void)flag;                                       \
    if (blockIdx.x == 0) {                            \
      *word = 42;                                     \
      fence;                                          \
      raise;                                          \
    } else {                                          \
      wait;                                           \
      behind;                                         \
      c[0] = *word;                                   \
    }                                                 \
  }
#define POLLED(name, raise, wait)                \
  POLL(RIGHT, name, DEVICE, raise, wait, DEVICE) \
  POLL(RACY, name##_no_fence, , raise, wait, )
POLLED(for_some_time, *flag = 1, for (int i = 0; i < 100000; ++i) if (*flag == 1) break)
POLLED(asleep, *flag = 1, while (*flag == 0) __nanosleep(20))
POLLED(by_swap, atomicExch(b, 1), while (atomicCAS(b, 1, 1) != 1){})
POLLED(by_add, atomicAdd(b, 1), while (atomicAdd(b, 0) != 1){})
POLLED(by_or, atomicOr(b, 1), while (atomicOr(b, 0) == 0){})
// Every thread polls.
#define ALL_POLL(label, name, fence)               \
  label(2, 64, all_poll_##name) {                  \
    volatile int *const word = a, *const flag = b; \
    if (blockIdx.x == 0) {                         \
      word[threadIdx.x] = 42;                      \
      fence;                                       \
      __syncthreads();                             \
      if (threadIdx.x == 0) *flag = 1;             \
    } else {                                       \
      while (*flag == 0) {                         \
      }                                            \
      fence;                                       \
      c[threadIdx.x] = word[threadIdx.x];          \
    }                                              \
  }
ALL_POLL(RIGHT, fences, DEVICE)
ALL_POLL(RACY, no_fence, )
// Flag and word are variables of the device.
__device__ volatile int the_word, the_flag;
#define VARIABLES(label, name, fence) \
  label(2, 32, variables_##name) {    \
    if (threadIdx.x != 0) return;     \
    if (blockIdx.x == 0) {            \
      the_word = 42;                  \
      fence;                          \
      the_flag = 1;                   \
    } else {                          \
      while (the_flag == 0) {         \
      }                               \
      fence;                          \
      c[0] = the_word;                \
    }                                 \
  }
VARIABLES(RIGHT, fences, DEVICE)
VARIABLES(RACY, no_fence, )

// The block that waits comes first, and takes the word out of a mailbox.
#define MAILBOX(label, name, take, fence, behind) \
  label(2, 32, mailbox_##name) {                  \
    if (threadIdx.x != 0) return;                 \
    if (blockIdx.x == 1) {                        \
      a[0] = 42;                                  \
      fence;                                      \
      atomicExch(b, 1);                           \
    } else {                                      \
      while (take != 1) {                         \
      }                                           \
      behind;                                     \
      c[0] = a[0];                                \
    }                                             \
  }
MAILBOX(RIGHT, by_exchange, atomicExch(b, 0), DEVICE, DEVICE)
MAILBOX(RIGHT, by_swap, atomicCAS(b, 1, 2), DEVICE, DEVICE)
MAILBOX(RACY, by_swap_no_fence, atomicCAS(b, 1, 2), , DEVICE)
MAILBOX(RACY, by_exchange_no_fence, atomicExch(b, 0), , DEVICE)
MAILBOX(RACY, by_exchange_no_fence_behind, atomicExch(b, 0), DEVICE, )

// A lock of a class, or of functions that are called.
#define LOCK_CLASS(label, name, fence)     \
  struct Lock_##name {                     \
    int *word;                             \
    __device__ void lock() {               \
      while (atomicCAS(word, 0, 1) != 0) { \
      }                                    \
      fence;                               \
    }                                      \
    __device__ void unlock() {             \
      fence;                               \
      atomicExch(word, 0);                 \
    }                                      \
  };                                       \
  label(4, 32, lock_of_a_class_##name) {   \
    if (threadIdx.x != 0) return;          \
    Lock_##name lock{b};                   \
    lock.lock();                           \
    a[0]++;                                \
    lock.unlock();                         \
  }
LOCK_CLASS(RIGHT, fences, DEVICE)
LOCK_CLASS(RACY, no_fences, )
__device__ __noinline__ void take(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
}
__device__ __noinline__ void give(int *lock) {
  atomicExch(lock, 0);
}
#define LOCK_CALLS(label, name, enter, leave) \
  label(4, 32, lock_of_functions_##name) {    \
    if (threadIdx.x != 0) return;             \
    volatile int *const sum = a;              \
    take(b);                                  \
    enter;                                    \
    *sum = *sum + 1;                          \
    leave;                                    \
    give(b);                                  \
  }
LOCK_CALLS(RIGHT, fences, DEVICE, DEVICE)
LOCK_CALLS(RACY, no_fences, , )
LOCK_CALLS(RACY, no_fence_at_the_end, DEVICE, )

// Whoever gets the lock leaves the loop; by one thread of each block, or by all lanes in turn.
#define UNTIL_DONE(label, name, who, word, take, enter, leave) \
  label(4, 32, until_done_##name) {                            \
    word *const sum = a;                                       \
    bool done = !(who);                                        \
    while (!done)                                              \
      if (take) {                                              \
        enter;                                                 \
        *sum = *sum + 1;                                       \
        leave;                                                 \
        atomicExch(b, 0);                                      \
        done = true;                                           \
      }                                                        \
  }
#define SWAP atomicCAS(b, 0, 1) == 0
#define EXCHANGE atomicExch(b, 1) == 0
UNTIL_DONE(RIGHT, exchange, threadIdx.x == 0, int, EXCHANGE, DEVICE, DEVICE)
UNTIL_DONE(RACY, exchange_no_fences, threadIdx.x == 0, int, EXCHANGE, , )
UNTIL_DONE(RACY, exchange_no_fence_at_the_start, threadIdx.x == 0, int, EXCHANGE, , DEVICE)
UNTIL_DONE(RACY, exchange_volatile_no_fence_at_the_end, threadIdx.x == 0, volatile int, EXCHANGE, DEVICE, )
UNTIL_DONE(RIGHT, lanes, threadIdx.x < 3, int, SWAP, DEVICE, DEVICE)
UNTIL_DONE(RIGHT, lanes_volatile, threadIdx.x < 3, volatile int, SWAP, DEVICE, DEVICE)
UNTIL_DONE(RACY, lanes_no_fences, threadIdx.x < 3, int, SWAP, , )
// Threads that do not get the lock continue without it.
#define TRY(label, name, fence)                              \
  label(4, 32, try_##name) {                                 \
    if (threadIdx.x != 0 || atomicCAS(b, 0, 1) != 0) return; \
    fence;                                                   \
    a[0]++;                                                  \
    fence;                                                   \
    atomicExch(b, 0);                                        \
  }
TRY(RIGHT, fences, DEVICE)
TRY(RACY, no_fences, )
// One block looks without the lock, or gives it back by a store.
#define LOCKED(label, name, give, look) \
  label(4, 32, locked_and_##name) {     \
    if (threadIdx.x != 0) return;       \
    look;                               \
    while (atomicCAS(b, 0, 1) != 0) {   \
    }                                   \
    DEVICE;                             \
    a[0]++;                             \
    DEVICE;                             \
    give;                               \
  }
LOCKED(RIGHT, given_by_volatile_store, *static_cast<volatile int *>(b) = 0, )
LOCKED(RACY, given_by_plain_store, b[0] = 0, )
LOCKED(RACY, looked_at_without, atomicExch(b, 0), if (blockIdx.x == 3) c[0] = a[0])
LOCKED(RACY, checked_twice, atomicExch(b, 0), if (a[0] != 0) return )

// Three blocks leave a word each, the fourth waits until they have arrived.
#define ARRIVALS(label, name, word, fence, behind) \
  label(4, 32, arrivals_##name) {                  \
    if (threadIdx.x != 0) return;                  \
    volatile int *const count = b;                 \
    word *const words = a;                         \
    if (blockIdx.x < 3) {                          \
      words[blockIdx.x] = 1;                       \
      fence;                                       \
      atomicAdd(b, 1);                             \
    } else {                                       \
      while (*count < 3) {                         \
      }                                            \
      behind;                                      \
      c[0] = words[0] + words[1] + words[2];       \
    }                                              \
  }
ARRIVALS(RIGHT, fences, int, DEVICE, DEVICE)
ARRIVALS(RACY, one_without_fence, int, if (blockIdx.x != 1) DEVICE, DEVICE)
ARRIVALS(RACY, volatile_no_fences, volatile int, , )
// Two blocks in turn.
#define IN_TURN(label, name, word, fence)        \
  label(2, 32, in_turn_##name) {                 \
    if (threadIdx.x != 0) return;                \
    volatile int *const turn = b;                \
    word *const sum = a;                         \
    const int me = static_cast<int>(blockIdx.x); \
    for (int i = 0; i < 6; ++i) {                \
      while (*turn % 2 != me) {                  \
      }                                          \
      fence;                                     \
      *sum = *sum + 1;                           \
      fence;                                     \
      *turn = *turn + 1;                         \
    }                                            \
  }
IN_TURN(RIGHT, plain, int, DEVICE)
IN_TURN(RACY, plain_block_fence, int, BLOCK)
IN_TURN(RACY, plain_no_fence, int, )
IN_TURN(RIGHT, volatile, volatile int, DEVICE)
IN_TURN(RACY, volatile_block_fence, volatile int, BLOCK)
IN_TURN(RACY, volatile_no_fence, volatile int, )
// A ring with one producer and one consumer needs no atomics; a list with two producers does.
RIGHT(2, 32, one_producer_one_consumer) {
  if (threadIdx.x != 0) return;
  volatile int *const head = b, *const tail = b + 1;
  for (int i = 0; i < 5; ++i) {
    if (blockIdx.x == 0) {
      a[*tail] = i;
      DEVICE;
      *tail = *tail + 1;
    } else {
      while (*tail <= *head) {
      }
      DEVICE;
      c[i] = a[*head];
      DEVICE;
      *head = *head + 1;
    }
  }
}
RACY(3, 32, two_producers) {
  if (threadIdx.x != 0) return;
  volatile int *const tail = b;
  for (int i = 0; i < 5; ++i) {
    const int at = *tail;
    a[64 * blockIdx.x + i] = at;
    DEVICE;
    *tail = at + 1;
  }
}

// Updates in two steps of words of other kinds, and with much between the steps.
#define UPDATE(label, name, type, change)                        \
  label(2, 32, update_##name) {                                  \
    volatile type *const word = reinterpret_cast<type *>(a) + 1; \
    (void)word;                                                  \
    if (threadIdx.x == 0) change;                                \
  }
UPDATE(RACY, float, float, *word = *word + 0.5f)
UPDATE(RACY, float_product, float, *word = *word * 0.5f + 1)
UPDATE(RACY, long, long long, *word = *word + 2)
UPDATE(RACY, byte, unsigned char, *word = *word + 2)
UPDATE(RACY, after_a_loop, int, {
  int sum = *word;
  for (int i = 0; i < n; ++i) sum += row[i] & 1;
  *word = sum;
})
UPDATE(RACY, bits_flipped, int, *word = *word ^ 5)
UPDATE(RIGHT, atomic_after_a_loop, int, {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += row[i] & 1;
  atomicAdd(a, sum);
})
UPDATE(RIGHT, float_atomic, float, atomicAdd(reinterpret_cast<float *>(a), 0.5f))
UPDATE(RIGHT, words_change_places, int, {
  const int first = word[2 * blockIdx.x];
  word[2 * blockIdx.x] = word[2 * blockIdx.x + 1];
  word[2 * blockIdx.x + 1] = first;
})
RACY(2, 64, histogram_volatile) {
  volatile int *const count = a;
  count[threadIdx.x * 7 % 16] += 1;
}
#define SHARED_HISTOGRAM(label, name, word, add)               \
  label(1, 64, shared_histogram_##name) {                      \
    __shared__ word count[16];                                 \
    if (threadIdx.x < 16) count[threadIdx.x] = 0;              \
    __syncthreads();                                           \
    add;                                                       \
    __syncthreads();                                           \
    if (threadIdx.x < 16) a[threadIdx.x] = count[threadIdx.x]; \
  }
SHARED_HISTOGRAM(RACY, volatile, volatile int, count[threadIdx.x * 7 % 16] += 1)
SHARED_HISTOGRAM(RIGHT, atomic, int, atomicAdd(&count[threadIdx.x * 7 % 16], 1))
