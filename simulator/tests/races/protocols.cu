// Whole protocols between blocks and warps, as libraries and papers have them, and each with a mistake.
#include <cuda/atomic>

#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()
#define ONE_OF_EACH_BLOCK \
  if (threadIdx.x != 0) return

// A prefix sum in one pass: each block looks back at the sums of the blocks before it. The status of a block
// says whether it has its own sum (1) or all sums up to it (2).
#define LOOK_BACK(label, name, word, fence, behind) \
  label(8, 32, look_back_##name) {                  \
    ONE_OF_EACH_BLOCK;                              \
    volatile int *const status = b;                 \
    word *const own = a, *const all = a + 64;       \
    const int me = static_cast<int>(blockIdx.x);    \
    own[me] = me + 1;                               \
    fence;                                          \
    status[me] = 1;                                 \
    int sum = me + 1;                               \
    for (int at = me - 1; at >= 0; --at) {          \
      int now;                                      \
      do now = status[at];                          \
      while (now == 0);                             \
      behind;                                       \
      sum += now == 2 ? all[at] : own[at];          \
      if (now == 2) break;                          \
    }                                               \
    all[me] = sum;                                  \
    fence;                                          \
    status[me] = 2;                                 \
    c[me] = sum;                                    \
  }
LOOK_BACK(RIGHT, plain, int, DEVICE, DEVICE)
LOOK_BACK(RIGHT, volatile, volatile int, DEVICE, DEVICE)
LOOK_BACK(RACY, plain_no_fence, int, , DEVICE)
LOOK_BACK(RACY, volatile_no_fence, volatile int, , )
LOOK_BACK(RACY, volatile_block_fence, volatile int, BLOCK, BLOCK)
LOOK_BACK(RACY, plain_reader_without_fence, int, DEVICE, )

// A barrier of all blocks whose sense turns, used again and again.
#define SENSE(label, name, word, fence)                              \
  label(4, 32, sense_barrier_##name) {                               \
    ONE_OF_EACH_BLOCK;                                               \
    volatile int *const sense = b + 1;                               \
    word *const words = a;                                           \
    int mine = 0;                                                    \
    for (int round = 0; round < 3; ++round) {                        \
      words[round * 4 + blockIdx.x] = round;                         \
      mine = 1 - mine;                                               \
      fence;                                                         \
      if (atomicAdd(b, 1) == 3) {                                    \
        atomicExch(b, 0);                                            \
        fence;                                                       \
        *sense = 1 - *sense;                                         \
      } else {                                                       \
        while (*sense != mine) {                                     \
        }                                                            \
      }                                                              \
      fence;                                                         \
      c[round * 4 + blockIdx.x] = words[round * 4 + 3 - blockIdx.x]; \
    }                                                                \
  }
SENSE(RIGHT, plain, int, DEVICE)
SENSE(RIGHT, volatile, volatile int, DEVICE)
SENSE(RACY, plain_no_fence, int, )
SENSE(RACY, volatile_no_fence, volatile int, )
SENSE(RACY, volatile_block_fence, volatile int, BLOCK)

// A word that is read again if its number has changed meanwhile: one block writes, the others read.
#define SEQUENCE(label, name, word, write)            \
  label(3, 32, sequence_##name) {                     \
    ONE_OF_EACH_BLOCK;                                \
    volatile int *const number = b;                   \
    word *const data = a;                             \
    if (write) {                                      \
      for (int i = 0; i < 4; ++i) {                   \
        *number = *number + 1;                        \
        DEVICE;                                       \
        data[0] = i;                                  \
        data[1] = i;                                  \
        DEVICE;                                       \
        *number = *number + 1;                        \
      }                                               \
    } else {                                          \
      int before, sum;                                \
      do {                                            \
        before = *number;                             \
        DEVICE;                                       \
        sum = data[0] + data[1];                      \
        DEVICE;                                       \
      } while (before % 2 != 0 || before != *number); \
      c[blockIdx.x] = sum;                            \
    }                                                 \
  }
SEQUENCE(RIGHT, one_writer, volatile int, blockIdx.x == 0)
SEQUENCE(RACY, two_writers, volatile int, blockIdx.x < 2)
SEQUENCE(RACY, plain_words, int, blockIdx.x == 0)

// A lock with numbers: who draws one waits until it is served.
#define NUMBERS(label, name, word, enter, leave, next) \
  label(4, 32, numbered_lock_##name) {                 \
    ONE_OF_EACH_BLOCK;                                 \
    volatile int *const served = b + 1;                \
    word *const sum = a;                               \
    const int mine = atomicAdd(b, 1);                  \
    while (*served != mine) {                          \
    }                                                  \
    enter;                                             \
    *sum = *sum + 1;                                   \
    leave;                                             \
    next;                                              \
  }
NUMBERS(RIGHT, plain, int, DEVICE, DEVICE, *served = *served + 1)
NUMBERS(RIGHT, volatile, volatile int, DEVICE, DEVICE, *served = mine + 1)
NUMBERS(RIGHT, atomic, int, DEVICE, DEVICE, atomicAdd(b + 1, 1))
NUMBERS(RACY, no_fence_at_the_end, int, DEVICE, , *served = *served + 1)
NUMBERS(RACY, volatile_no_fence_at_the_end, volatile int, DEVICE, , *served = mine + 1)
NUMBERS(RACY, block_fences, int, BLOCK, BLOCK, atomicAdd(b + 1, 1))

// A list that grows at its head: next[v] is c[v], the head is b[0].
#define PUSH(label, name, write, fence, look)            \
  label(4, 32, linked_list_##name) {                     \
    const int me = thread_in_grid() + 1;                 \
    volatile int *const head = b;                        \
    int before = *head, seen;                            \
    do {                                                 \
      seen = before;                                     \
      write = seen;                                      \
      fence;                                             \
      before = atomicCAS(b, seen, me);                   \
    } while (before != seen);                            \
    if (me % 32 == 1 && seen != 0) a[blockIdx.x] = look; \
  }
PUSH(RIGHT, not_followed, c[me], DEVICE, seen)
PUSH(RACY, followed_no_fence, c[me], , c[seen])

// A swap claims keys of a table; the value comes later, and threads that read it wait.
#define TABLE(label, name, word, fence, behind)        \
  label(4, 32, table_##name) {                         \
    ONE_OF_EACH_BLOCK;                                 \
    word *const value = a;                             \
    volatile int *const ready = c;                     \
    const int slot = static_cast<int>(blockIdx.x / 2); \
    if (atomicCAS(b + slot, 0, slot + 1) == 0) {       \
      value[slot] = 42;                                \
      fence;                                           \
      ready[slot] = 1;                                 \
    } else {                                           \
      while (ready[slot] == 0) {                       \
      }                                                \
      behind;                                          \
      c[64 + blockIdx.x] = value[slot];                \
    }                                                  \
  }
TABLE(RIGHT, plain, int, DEVICE, DEVICE)
TABLE(RIGHT, volatile, volatile int, DEVICE, DEVICE)
TABLE(RACY, plain_no_fence, int, , DEVICE)
TABLE(RACY, volatile_no_fence, volatile int, , )

// Tasks that wait for others: a task starts when its last predecessor has ended.
#define TASKS(label, name, word, fence, behind)  \
  label(7, 32, tasks_##name) {                   \
    ONE_OF_EACH_BLOCK;                           \
    volatile int *const open = b;                \
    word *const result = a;                      \
    const int me = static_cast<int>(blockIdx.x); \
    int sum = me;                                \
    if (me >= 4) {                               \
      const int first = 2 * (me - 4);            \
      while (open[me] < 2) {                     \
      }                                          \
      behind;                                    \
      sum += result[first] + result[first + 1];  \
    }                                            \
    result[me] = sum;                            \
    fence;                                       \
    if (me < 6) atomicAdd(b + 4 + me / 2, 1);    \
  }
TASKS(RIGHT, plain, int, DEVICE, DEVICE)
TASKS(RIGHT, volatile, volatile int, DEVICE, DEVICE)
TASKS(RACY, plain_no_fence, int, , DEVICE)
TASKS(RACY, volatile_no_fence, volatile int, , )
TASKS(RACY, plain_not_awaited, int, DEVICE, if (me == 6) sum += result[5] + result[3]; DEVICE)

// Readers count themselves in and out; a writer needs a count of 0 and makes it negative.
#define READERS(label, name, enter, leave)                  \
  label(4, 32, readers_and_writers_##name) {                \
    ONE_OF_EACH_BLOCK;                                      \
    const bool writes = blockIdx.x % 2 == 0;                \
    if (writes) {                                           \
      while (atomicCAS(b, 0, -1) != 0) {                    \
      }                                                     \
    } else {                                                \
      bool in = false;                                      \
      while (!in) {                                         \
        const int now = atomicAdd(b, 0);                    \
        in = now >= 0 && atomicCAS(b, now, now + 1) == now; \
      }                                                     \
    }                                                       \
    enter;                                                  \
    if (writes)                                             \
      a[0] += 1;                                            \
    else                                                    \
      c[blockIdx.x] = a[0];                                 \
    leave;                                                  \
    if (writes)                                             \
      atomicExch(b, 0);                                     \
    else                                                    \
      atomicSub(b, 1);                                      \
  }
READERS(RIGHT, fences, DEVICE, DEVICE)
READERS(RACY, no_fence_at_the_end, DEVICE, )
READERS(RACY, block_fences, BLOCK, BLOCK)

// Work goes from warp to warp of a block by shared words, each warp with a mailbox of its own.
#define MAILBOXES(label, name, word, fence)           \
  label(1, 128, mailboxes_##name) {                   \
    __shared__ word letter[4];                        \
    __shared__ volatile int full[4];                  \
    const int w = static_cast<int>(threadIdx.x / 32); \
    if (threadIdx.x < 4) full[threadIdx.x] = 0;       \
    __syncthreads();                                  \
    if (threadIdx.x % 32 == 0) {                      \
      int carried = 1;                                \
      if (w > 0) {                                    \
        while (full[w] == 0) {                        \
        }                                             \
        fence;                                        \
        carried = letter[w] + 1;                      \
      }                                               \
      if (w < 3) {                                    \
        letter[w + 1] = carried;                      \
        fence;                                        \
        full[w + 1] = 1;                              \
      }                                               \
      a[w] = carried;                                 \
    }                                                 \
  }
MAILBOXES(RIGHT, plain, int, BLOCK)
MAILBOXES(RIGHT, volatile, volatile int, BLOCK)
MAILBOXES(RACY, plain_no_fence, int, )
MAILBOXES(RACY, volatile_no_fence, volatile int, )

// The same by cuda::atomic_ref with orders.
#define CHAIN(label, name, scope, give, get)                        \
  label(4, 32, chain_of_refs_##name) {                              \
    ONE_OF_EACH_BLOCK;                                              \
    const int me = static_cast<int>(blockIdx.x);                    \
    int sum = 1;                                                    \
    if (me > 0) {                                                   \
      cuda::atomic_ref<int, cuda::scope> before(b[me - 1]);         \
      while (before.load(cuda::get) == 0) {                         \
      }                                                             \
      sum += a[me - 1];                                             \
    }                                                               \
    a[me] = sum;                                                    \
    cuda::atomic_ref<int, cuda::scope>(b[me]).store(1, cuda::give); \
  }
CHAIN(RIGHT, device, thread_scope_device, memory_order_release, memory_order_acquire)
CHAIN(RIGHT, sequential, thread_scope_system, memory_order_seq_cst, memory_order_seq_cst)
CHAIN(RACY, block, thread_scope_block, memory_order_release, memory_order_acquire)
CHAIN(RACY, relaxed_store, thread_scope_device, memory_order_relaxed, memory_order_acquire)
CHAIN(RACY, relaxed_load, thread_scope_device, memory_order_release, memory_order_relaxed)

// A bounded queue (Vyukov's): places are taken by a relaxed compare-and-swap. The number of a place, which is read and
// written with orders of its own, says whose turn it is; the place is then taken without any fence.
using Number = cuda::atomic_ref<int, cuda::thread_scope_device>;
__device__ inline int take_turn(int *next, int *numbers, int ahead) {
  int place = Number(*next).load(cuda::memory_order_relaxed);
  for (;;) {
    if (Number(numbers[place % 8]).load(cuda::memory_order_acquire) == place - place % 8 + ahead) {
      if (Number(*next).compare_exchange_weak(place, place + 1, cuda::memory_order_relaxed)) return place;
    } else {
      place = Number(*next).load(cuda::memory_order_relaxed);
    }
  }
}
#define QUEUE(label, name, give, give_back)                                                    \
  label(4, 64, queue_of_numbers_##name) {                                                      \
    int *const letters = c + 8;                                                                \
    for (int i = 0; i < 2; ++i) {                                                              \
      const bool gives = blockIdx.x % 2 == 0;                                                  \
      const int place = take_turn(&c[gives], b, gives ? 0 : 1), at = place % 8;                \
      if (gives)                                                                               \
        letters[at] = place;                                                                   \
      else                                                                                     \
        a[place] = letters[at];                                                                \
      Number(b[at]).store(place - at + (gives ? 1 : 8), gives ? cuda::give : cuda::give_back); \
    }                                                                                          \
  }
QUEUE(RIGHT, release, memory_order_release, memory_order_release)
QUEUE(RACY, relaxed, memory_order_relaxed, memory_order_release)
QUEUE(RACY, given_back_relaxed, memory_order_release, memory_order_relaxed)

// A word that is stored relaxed under a lock that is given back without a fence: to read it with acquire mends nothing.
#define UNDER_LOCK(label, name, before_unlock)                              \
  label(4, 64, word_under_lock_##name) {                                    \
    if (threadIdx.x != 0) return;                                           \
    while (atomicCAS(&c[0], 0, 1) != 0) {                                   \
    }                                                                       \
    __threadfence();                                                        \
    const int value = Number(a[0]).load(cuda::memory_order_acquire);        \
    Number(a[0]).store(value + blockIdx.x + 1, cuda::memory_order_relaxed); \
    before_unlock;                                                          \
    atomicExch(&c[0], 0);                                                   \
  }
UNDER_LOCK(RIGHT, fenced, __threadfence())
UNDER_LOCK(RACY, not_fenced, )
