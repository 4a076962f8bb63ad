// Volatile words: updates that get lost, and what is passed on by locks, flags and tickets.
#include <cuda/atomic>

#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
constexpr auto relaxed = cuda::memory_order_relaxed;

// Somebody counts: one thread of each block or warp, or every thread.
#define COUNT(label, blocks, threads, name, who, body) \
  label(blocks, threads, volatile_count_##name) {      \
    volatile int *const v = a;                         \
    (void)v;                                           \
    const int x = thread_in_grid() + 1;                \
    (void)x;                                           \
    if (who) body;                                     \
  }
COUNT(RACY, 4, 32, blocks, threadIdx.x == 0, *v = *v + 1)
COUNT(RACY, 1, 64, warps, threadIdx.x % 32 == 0, *v = *v + 1)
COUNT(RACY, 1, 32, lanes, true, *v = *v + 1)
COUNT(RACY, 2, 32, sum, threadIdx.x == 5, *v += x)
COUNT(RACY, 2, 32, down, threadIdx.x == 5, *v -= 3)
COUNT(RACY, 2, 32, elsewhere_in_the_array, threadIdx.x < 8, v[threadIdx.x] += x)
COUNT(RACY, 2, 32, often, threadIdx.x == 0, for (int i = 0; i < 5; ++i) *v = *v + 1)
COUNT(RACY, 2, 32, beside_atomic, threadIdx.x == 0, if (blockIdx.x == 0) *v = *v + 1; else atomicAdd(a, 1))
COUNT(RACY, 2, 32, after_atomic, threadIdx.x == 0, if (blockIdx.x == 1) *v = *v + 1; else atomicAdd(a, 1))
COUNT(RACY, 2, 32, relaxed, threadIdx.x == 0, Word(a[0]).store(Word(a[0]).load(relaxed) + 1, relaxed))
COUNT(RACY, 2, 32, fenced, threadIdx.x == 0, {
  *v = *v + 1;
  DEVICE;
})
COUNT(RIGHT, 4, 32, own_words, true, v[thread_in_grid()] += x)
COUNT(RIGHT, 4, 32, one_thread, thread_in_grid() == 0, *v = *v + 1)
COUNT(RIGHT, 4, 32, one_writer_many_readers, true, if (thread_in_grid() == 40) *v = *v + 1; else b[x] = *v)
COUNT(RIGHT, 4, 32, stores_alone, threadIdx.x == 0, *v = x)
COUNT(RIGHT, 4, 32, look_then_store, threadIdx.x == 0, if (*v == 0) *v = 1)
COUNT(RIGHT, 4, 32, grows, threadIdx.x == 0, *v = max(*v, x))
COUNT(RIGHT, 4, 32, bits, threadIdx.x == 0, *v = *v | 4)
COUNT(RIGHT, 4, 32, from_another_word, threadIdx.x == 0, v[1] = v[0] + 1)
// Each in its turn.
COUNT(RIGHT, 4, 32, in_turn, threadIdx.x == 0, {
  while (*v != static_cast<int>(blockIdx.x)) {
  }
  *v = *v + 1;
})
COUNT(RIGHT, 4, 32, in_turn_by_one_load, threadIdx.x == 0, {
  int seen;
  do seen = *v;
  while (seen != static_cast<int>(blockIdx.x));
  *v = seen + 1;
})
COUNT(RIGHT, 4, 32, in_turn_if_lucky, threadIdx.x == 0, {
  const int seen = *v;
  if (seen == static_cast<int>(blockIdx.x)) *v = seen + 1;
})
COUNT(RIGHT, 2, 32, behind_a_ticket, threadIdx.x == 0, {
  if (atomicAdd(b, 1) == 1) *v = *v + 1;
})
COUNT(RIGHT, 1, 64, behind_a_barrier, true, {
  if (threadIdx.x == 0) *v = *v + 1;
  __syncthreads();
  if (threadIdx.x == 32) *v = *v + 1;
})
RIGHT(4, 32, volatile_ticket_lock) {
  if (threadIdx.x != 0) return;
  volatile int *const serving = b, *const v = a;
  const int mine = atomicAdd(b + 1, 1);
  while (*serving != mine) {
  }
  DEVICE;
  *v = *v + 1;
  DEVICE;
  *serving = *serving + 1;
}
// Two threads exclude each other with plain words only.
RIGHT(2, 32, volatile_two_threads_exclude_each_other) {
  if (threadIdx.x != 0) return;
  volatile int *const wants = b, *const turn = b + 2, *const v = a;
  const int me = static_cast<int>(blockIdx.x), other = 1 - me;
  wants[me] = 1;
  *turn = other;
  DEVICE;
  while (wants[other] == 1 && *turn == other) {
  }
  DEVICE;
  *v = *v + 1;
  DEVICE;
  wants[me] = 0;
}

// The same in shared memory.
#define SHARED_COUNT(label, threads, name, who, body) \
  label(1, threads, volatile_shared_count_##name) {   \
    __shared__ volatile int s[2];                     \
    volatile int *const v = s;                        \
    if (threadIdx.x < 2) s[threadIdx.x] = 0;          \
    __syncthreads();                                  \
    const int x = thread_in_grid() + 1;               \
    (void)x;                                          \
    if (who) body;                                    \
    __syncthreads();                                  \
    if (threadIdx.x == 0) c[0] = s[0] + s[1];         \
  }
SHARED_COUNT(RACY, 64, warps, threadIdx.x % 32 == 0, *v = *v + 1)
SHARED_COUNT(RACY, 32, lanes, true, *v = *v + 1)
SHARED_COUNT(RACY, 64, threads, true, *v += x)
SHARED_COUNT(RACY, 64, beside_atomic, threadIdx.x % 32 == 0, if (threadIdx.x == 0) *v = *v + 1;
             else atomicAdd(const_cast<int *>(s), 1))
SHARED_COUNT(RACY, 64, after_atomic, threadIdx.x % 32 == 0, if (threadIdx.x == 32) *v = *v + 1;
             else atomicAdd(const_cast<int *>(s), 1))
SHARED_COUNT(RACY, 64, fenced, threadIdx.x % 32 == 0, {
  *v = *v + 1;
  BLOCK;
})
SHARED_COUNT(RIGHT, 64, one_thread, threadIdx.x == 0, *v = *v + 1)
SHARED_COUNT(RIGHT, 64, own_words, threadIdx.x % 32 == 0, v[threadIdx.x / 32] += x)
SHARED_COUNT(RIGHT, 64, stores_alone, threadIdx.x % 32 == 0, *v = x)
SHARED_COUNT(RIGHT, 64, grows, threadIdx.x % 32 == 0, *v = max(*v, x))
SHARED_COUNT(RIGHT, 64, in_turn, threadIdx.x % 32 == 0, {
  while (*v != static_cast<int>(threadIdx.x / 32)) {
  }
  *v = *v + 1;
})
SHARED_COUNT(RIGHT, 64, in_turn_if_lucky, threadIdx.x % 32 == 0, {
  const int seen = *v;
  if (seen == static_cast<int>(threadIdx.x / 32)) *v = seen + 1;
})
SHARED_COUNT(RIGHT, 64, behind_a_barrier, true, {
  if (threadIdx.x == 0) *v = *v + 1;
  __syncthreads();
  if (threadIdx.x == 32) *v = *v + 1;
})

// The last block looks at volatile words that the others have left.
#define LAST(label, name, before, ticket, last)                         \
  label(8, 64, volatile_last_block_##name) {                            \
    volatile int *const left = a;                                       \
    __shared__ bool is_last;                                            \
    if (threadIdx.x == 0) {                                             \
      left[blockIdx.x] = static_cast<int>(blockIdx.x);                  \
      before;                                                           \
      is_last = ticket == last;                                         \
    }                                                                   \
    __syncthreads();                                                    \
    if (is_last && threadIdx.x < 8) c[threadIdx.x] = left[threadIdx.x]; \
  }
#define TICKET atomicAdd(b, 1)
#define COUNTED atomicInc(reinterpret_cast<unsigned *>(b), gridDim.x - 1)
LAST(RIGHT, fence, DEVICE, TICKET, 7)
LAST(RIGHT, fence_counted, DEVICE, COUNTED, gridDim.x - 1)
LAST(RACY, no_fence, , TICKET, 7)
LAST(RACY, no_fence_counted, , COUNTED, gridDim.x - 1)
LAST(RACY, block_fence, BLOCK, TICKET, 7)
LAST(RACY, block_ticket, DEVICE, atomicAdd_block(b, 1), 7)
// Tickets without order for the words: numbers for a list, while the words are passed on as it comes.
RIGHT(4, 64, volatile_words_beside_a_list) {
  volatile int *const seen = a;
  for (int v = thread_in_grid(); v < n; v += 256)
    for (int e = row[v]; e < row[v + 1]; ++e)
      if (seen[col[e]] == 0) {
        seen[col[e]] = seen[v] + 1;
        const int at = atomicAdd(c, 1);
        if (at < 1024) b[at] = col[e];
      }
}

// Locks that hold the owner's number, or that are polled before they are acquired.
#define OWNED(label, name, word, take, enter, leave, give) \
  label(4, 32, lock_by_owner_##name) {                     \
    if (threadIdx.x != 0) return;                          \
    word *const data = a;                                  \
    const int me = static_cast<int>(blockIdx.x) + 1;       \
    (void)me;                                              \
    bool done = false;                                     \
    while (!done) {                                        \
      if (take) {                                          \
        enter;                                             \
        data[0] = data[0] + 1;                             \
        leave;                                             \
        give;                                              \
        done = true;                                       \
      }                                                    \
    }                                                      \
  }
#define TAKE atomicCAS(b, 0, me) == 0
#define GIVE atomicExch(b, 0)
OWNED(RIGHT, fences, int, TAKE, DEVICE, DEVICE, GIVE)
OWNED(RIGHT, volatile_fences, volatile int, TAKE, DEVICE, DEVICE, GIVE)
OWNED(RIGHT, volatile_store, int, TAKE, DEVICE, DEVICE, *static_cast<volatile int *>(b) = 0)
OWNED(RACY, no_fence_at_the_start, int, TAKE, , DEVICE, GIVE)
OWNED(RACY, no_fence_at_the_end, int, TAKE, DEVICE, , GIVE)
OWNED(RACY, volatile_no_fence_at_the_end, volatile int, TAKE, DEVICE, , GIVE)
OWNED(RACY, volatile_no_fence_at_the_start, volatile int, TAKE, , DEVICE, GIVE)
OWNED(RACY, volatile_store_no_fence_at_the_end, volatile int, TAKE, DEVICE, ,
      *static_cast<volatile int *>(b) = 0)
OWNED(RACY, volatile_block_fences, volatile int, TAKE, BLOCK, BLOCK, GIVE)
#define LOOK_FIRST *static_cast<volatile int *>(b) == 0 && atomicCAS(b, 0, 1) == 0
OWNED(RIGHT, looked_at_first, volatile int, LOOK_FIRST, DEVICE, DEVICE, GIVE)
OWNED(RACY, looked_at_first_no_fences, volatile int, LOOK_FIRST, , , GIVE)
// Different locks for one volatile word.
OWNED(RACY, volatile_another_in_each_block, volatile int, atomicCAS(b + blockIdx.x, 0, me) == 0, DEVICE,
      DEVICE, atomicExch(b + blockIdx.x, 0))
OWNED(RACY, volatile_block_scope, volatile int, atomicCAS_block(b, 0, me) == 0, DEVICE, DEVICE,
      atomicExch_block(b, 0))
