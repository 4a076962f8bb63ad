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
