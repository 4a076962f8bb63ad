// Ticket locks: an atomic gives out numbers, and a word says whose turn it is. Each faulty program has a right twin.
#include <cuda/atomic>

#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()
#define LOOK                           \
  while (*(volatile int *)c != mine) { \
  }
#define ASK                         \
  while (atomicAdd(c, 0) != mine) { \
  }
#define STORE *word = thread_in_grid() + 1
#define ADD *word = *word + 1
#define PLAIN a[0] += 1
#define NEXT *(volatile int *)c = mine + 1
#define COUNT *(volatile int *)c = *(volatile int *)c + 1
#define RAISE atomicAdd(c, 1)

// The first lane of each warp changes a word when it is its turn.
#define TICKET(label, name, wait, enter, change, leave, give) \
  label(4, 64, ticket_##name) {                               \
    volatile int *const word = a;                             \
    (void)word;                                               \
    if (threadIdx.x % 32 != 0) return;                        \
    const int mine = atomicAdd(b, 1);                         \
    wait;                                                     \
    enter;                                                    \
    change;                                                   \
    leave;                                                    \
    give;                                                     \
  }
#define TWINS(name, wait, change, give)                                    \
  TICKET(RIGHT, name, wait, DEVICE, change, DEVICE, give)                  \
  TICKET(RACY, name##_no_fence, wait, , change, , give)                    \
  TICKET(RACY, name##_no_fence_at_the_start, wait, , change, DEVICE, give) \
  TICKET(RACY, name##_no_fence_at_the_end, wait, DEVICE, change, , give)   \
  TICKET(RACY, name##_block_fences, wait, BLOCK, change, BLOCK, give)
TWINS(look_store_next, LOOK, STORE, NEXT)
TWINS(look_add_next, LOOK, ADD, NEXT)
TWINS(look_plain_next, LOOK, PLAIN, NEXT)
TWINS(look_add_count, LOOK, ADD, COUNT)
TWINS(look_store_raise, LOOK, STORE, RAISE)
TWINS(ask_store_raise, ASK, STORE, RAISE)
TWINS(ask_add_next, ASK, ADD, NEXT)
TWINS(ask_plain_raise, ASK, PLAIN, RAISE)
TWINS(look_plain_raise, LOOK, PLAIN, RAISE)

// Of libcu++.
#define REFERENCE(label, name, waits, gives, change)                    \
  label(4, 32, ticket_reference_##name) {                               \
    volatile int *const word = a;                                       \
    (void)word;                                                         \
    if (threadIdx.x != 0) return;                                       \
    cuda::atomic_ref<int, cuda::thread_scope_device> next(*b), now(*c); \
    const int mine = next.fetch_add(1, cuda::memory_order_relaxed);     \
    while (now.load(cuda::memory_order_##waits) != mine) {              \
    }                                                                   \
    change;                                                             \
    now.store(mine + 1, cuda::memory_order_##gives);                    \
  }
REFERENCE(RIGHT, acquire_release, acquire, release, PLAIN)
REFERENCE(RACY, relaxed_wait, relaxed, release, PLAIN)
REFERENCE(RACY, relaxed_give, acquire, relaxed, PLAIN)
REFERENCE(RIGHT, acquire_release_volatile, acquire, release, ADD)
REFERENCE(RACY, relaxed_wait_volatile, relaxed, release, ADD)
REFERENCE(RACY, relaxed_give_volatile, acquire, relaxed, ADD)

// The turn of one block at a time, whose threads all work; its numbers are in order.
#define BLOCKS(label, name, enter, leave)                \
  label(4, 64, ticket_blocks_##name) {                   \
    volatile int *const words = a;                       \
    __shared__ int mine;                                 \
    if (threadIdx.x == 0) {                              \
      mine = atomicAdd(b, 1);                            \
      while (*(volatile int *)c != mine) {               \
      }                                                  \
      enter;                                             \
    }                                                    \
    __syncthreads();                                     \
    words[threadIdx.x] = words[threadIdx.x] + 1;         \
    leave;                                               \
    __syncthreads();                                     \
    if (threadIdx.x == 0) *(volatile int *)c = mine + 1; \
  }
BLOCKS(RIGHT, fences, DEVICE, DEVICE)
BLOCKS(RACY, no_fence_at_the_end, DEVICE, )

// Which ticket lock: two blocks with the same one, with one each, with another kind of lock, or with none.
#define DRAW const int mine = atomicAdd(numbers, 1)
#define LOOK_AT                           \
  while (*(volatile int *)turn != mine) { \
  }
#define ASK_FOR                        \
  while (atomicAdd(turn, 0) != mine) { \
  }
#define LOCKS(label, name, other, wait, change, give) \
  label(2, 32, ticket_locks_##name) {                 \
    volatile int *const word = a;                     \
    (void)word;                                       \
    if (threadIdx.x != 0) return;                     \
    const int which = blockIdx.x == 0 ? 0 : (other);  \
    int *const numbers = b + which;                   \
    int *const turn = c + which;                      \
    DRAW;                                             \
    wait;                                             \
    DEVICE;                                           \
    change;                                           \
    DEVICE;                                           \
    give;                                             \
  }
#define ONE_OR_TWO(name, wait, change, give)      \
  LOCKS(RIGHT, one_##name, 0, wait, change, give) \
  LOCKS(RACY, two_##name, 1, wait, change, give)
#define GIVE *(volatile int *)turn = mine + 1
#define PLAIN_STORE a[0] = thread_in_grid() + 1
ONE_OR_TWO(store, LOOK_AT, STORE, GIVE)
ONE_OR_TWO(add, LOOK_AT, ADD, GIVE)
ONE_OR_TWO(plain, LOOK_AT, PLAIN, GIVE)
ONE_OR_TWO(plain_store, LOOK_AT, PLAIN_STORE, GIVE)
ONE_OR_TWO(store_raise, LOOK_AT, STORE, atomicAdd(turn, 1))
ONE_OR_TWO(store_ask, ASK_FOR, STORE, atomicAdd(turn, 1))
ONE_OR_TWO(store_pause, while (*(volatile int *)turn != mine) __nanosleep(20), STORE, GIVE)
LOCKS(RIGHT, two_of_two_words, 1, LOOK_AT, word[which] = mine + 5, GIVE)
LOCKS(RIGHT, two_same_value, 1, LOOK_AT, *word = 7, GIVE)
LOCKS(RIGHT, two_one_looks, 1, LOOK_AT, if (which == 0) STORE; else c[64] = *word, GIVE)

// The second block has a lock of its own kind, or none.
#define OTHER(label, name, first, second, wait, change) \
  label(2, 32, ticket_other_##name) {                   \
    volatile int *const word = a;                       \
    (void)word;                                         \
    if (threadIdx.x != 0) return;                       \
    if (blockIdx.x == (first)) {                        \
      int *const numbers = b, *const turn = c;          \
      DRAW;                                             \
      wait;                                             \
      DEVICE;                                           \
      change;                                           \
      DEVICE;                                           \
      GIVE;                                             \
    } else {                                            \
      second;                                           \
    }                                                   \
  }
#define SWAPPED(change)                  \
  while (atomicCAS(b + 32, 0, 1) != 0) { \
  }                                      \
  DEVICE;                                \
  change;                                \
  DEVICE;                                \
  atomicExch(b + 32, 0)
OTHER(RACY, swap_store, 0, SWAPPED(STORE), LOOK_AT, STORE)
OTHER(RACY, swap_first_store, 1, SWAPPED(STORE), LOOK_AT, STORE)
OTHER(RACY, swap_add, 0, SWAPPED(ADD), LOOK_AT, ADD)
OTHER(RACY, swap_plain, 0, SWAPPED(PLAIN), LOOK_AT, PLAIN)
OTHER(RIGHT, swap_other_word, 0, SWAPPED(word[1] = 3), LOOK_AT, STORE)
OTHER(RACY, none_store, 0, STORE, LOOK_AT, STORE)
OTHER(RACY, none_first_store, 1, STORE, LOOK_AT, STORE)
OTHER(RACY, none_add, 0, ADD, LOOK_AT, ADD)
OTHER(RACY, none_add_store, 0, STORE, ASK_FOR, ADD)
OTHER(RACY, none_plain, 0, PLAIN_STORE, LOOK_AT, PLAIN_STORE)
OTHER(RIGHT, none_looks, 0, c[64] = *word, LOOK_AT, STORE)
OTHER(RIGHT, none_other_word, 0, word[1] = 3, LOOK_AT, STORE)

// Two locks at once, of which one is common; a number that is drawn and not used; the queue's order alone.
RIGHT(2, 32, ticket_locks_within_a_swap) {
  volatile int *const word = a;
  if (threadIdx.x != 0) return;
  int *const numbers = b + blockIdx.x, *const turn = c + blockIdx.x;
  while (atomicCAS(b + 32, 0, 1) != 0) {
  }
  DEVICE;
  DRAW;
  LOOK_AT;
  STORE;
  GIVE;
  DEVICE;
  atomicExch(b + 32, 0);
}
RIGHT(4, 32, ticket_orders_results) {  // each in its turn, whatever the order of the blocks
  volatile int *const length = a;
  if (threadIdx.x != 0) return;
  int *const numbers = b, *const turn = c;
  DRAW;
  LOOK_AT;
  DEVICE;
  const int at = *length;
  a[32 + at] = mine;
  *length = at + 2;
  DEVICE;
  atomicAdd(turn, 1);
}
// Two warps of one block, in shared memory.
#define SHARED(label, name, other, change)                                          \
  label(1, 64, ticket_shared_##name) {                                              \
    __shared__ int numbers_of[2], turns[2];                                         \
    __shared__ volatile int sum;                                                    \
    volatile int *const word = &sum;                                                \
    if (threadIdx.x < 2) numbers_of[threadIdx.x] = turns[threadIdx.x] = 0, sum = 0; \
    __syncthreads();                                                                \
    if (threadIdx.x % 32 == 0) {                                                    \
      const int which = threadIdx.x == 0 ? 0 : (other);                             \
      int *const numbers = numbers_of + which;                                      \
      int *const turn = turns + which;                                              \
      DRAW;                                                                         \
      LOOK_AT;                                                                      \
      BLOCK;                                                                        \
      change;                                                                       \
      BLOCK;                                                                        \
      GIVE;                                                                         \
    }                                                                               \
    __syncthreads();                                                                \
    if (threadIdx.x == 0) c[0] = sum;                                               \
  }
SHARED(RIGHT, one_store, 0, STORE)
SHARED(RACY, two_store, 1, STORE)
SHARED(RIGHT, one_add, 0, ADD)
SHARED(RACY, two_add, 1, ADD)
// Of libcu++, around relaxed words.
#define REFERENCES(label, name, other)                                                          \
  label(2, 32, ticket_references_##name) {                                                      \
    if (threadIdx.x != 0) return;                                                               \
    const int which = blockIdx.x == 0 ? 0 : (other);                                            \
    cuda::atomic_ref<int, cuda::thread_scope_device> next(b[which]), now(c[which]), word(a[0]); \
    const int mine = next.fetch_add(1, cuda::memory_order_relaxed);                             \
    while (now.load(cuda::memory_order_acquire) != mine) {                                      \
    }                                                                                           \
    word.store(thread_in_grid() + 1, cuda::memory_order_relaxed);                               \
    now.store(mine + 1, cuda::memory_order_release);                                            \
  }
REFERENCES(RIGHT, one, 0)
REFERENCES(RACY, two, 1)

// Numbers of a queue: a consumer waits while its number is the count of what has been filled. That is no lock.
#define QUEUE(label, name, fence)                         \
  label(2, 32, ticket_queue_##name) {                     \
    volatile int *const filled = c, *const last = a + 64; \
    if (threadIdx.x != 0) return;                         \
    if (blockIdx.x == 1) {                                \
      for (int i = 0; i < 4; ++i) {                       \
        a[i] = i;                                         \
        fence;                                            \
        *filled = i + 1;                                  \
        *last = 100 + i;                                  \
      }                                                   \
    } else {                                              \
      for (int i = 0; i < 4; ++i) {                       \
        const int mine = atomicAdd(b, 1);                 \
        while (*filled == mine) {                         \
        }                                                 \
        DEVICE;                                           \
        c[64 + i] = a[mine];                              \
        *last = mine;                                     \
      }                                                   \
    }                                                     \
  }
QUEUE(RIGHT, fence, DEVICE)
QUEUE(RACY, no_fence, )
// Lanes of a warp that draw numbers for their results, and a lock of another kind for a word.
RIGHT(4, 64, ticket_numbers_of_results) {
  volatile int *const word = a;
  const int mine = atomicAdd(b, 1);
  c[mine] = thread_in_grid();
  if (threadIdx.x != 0) return;
  while (atomicCAS(b + 32, 0, 1) != 0) {
  }
  DEVICE;
  STORE;
  DEVICE;
  atomicExch(b + 32, 0);
}
// The last block to come stores without a lock: all others are over.
RIGHT(4, 32, ticket_last_block_needs_no_lock) {
  volatile int *const word = a;
  if (threadIdx.x != 0) return;
  int *const numbers = b, *const turn = c;
  DRAW;
  LOOK_AT;
  DEVICE;
  ADD;
  DEVICE;
  GIVE;
  DEVICE;
  if (atomicAdd(b + 32, 1) == 3) {
    DEVICE;
    *word = -1;
  }
}
