// Who hands words to whom, and by what: inline PTX with scopes, rings between blocks, mailboxes, counters that are waited
// for, locks that are tried. Each faulty program has a right twin.
#include <cuda/atomic>

#include "labels.cuh"

#define DEVICE __threadfence()
#define BLOCK __threadfence_block()
#define ONE_OF_EACH_BLOCK \
  if (threadIdx.x != 0) return
#define REF(scope, word) cuda::atomic_ref<int, cuda::thread_scope_##scope>(word)

// PTX by hand: one block writes a plain word and raises a flag, the other one waits.
#define ASM_LOAD(how, value, word) \
  asm volatile("ld." how ".global.s32 %0, [%1];" : "=r"(value) : "l"(word) : "memory")
#define ASM_STORE(how, word) asm volatile("st." how ".global.s32 [%0], 1;" ::"l"(word) : "memory")
#define ASM_RED(how, word) asm volatile("red." how ".global.add.s32 [%0], 1;" ::"l"(word) : "memory")
#define ASM_FENCE(how) asm volatile("fence." how ";" ::: "memory")
#define BY_HAND(label, name, tell, wait, behind) \
  label(2, 32, by_hand_##name) {                 \
    ONE_OF_EACH_BLOCK;                           \
    if (blockIdx.x == 0) {                       \
      a[0] = 1;                                  \
      tell;                                      \
    } else {                                     \
      int seen;                                  \
      do ASM_LOAD(wait, seen, b);                \
      while (seen == 0);                         \
      behind;                                    \
      c[0] = a[0];                               \
    }                                            \
  }
BY_HAND(RIGHT, release_acquire, ASM_STORE("release.gpu", b), "acquire.gpu", )
BY_HAND(RACY, release_of_the_block, ASM_STORE("release.cta", b), "acquire.gpu", )
BY_HAND(RACY, acquire_of_the_block, ASM_STORE("release.gpu", b), "acquire.cta", )
BY_HAND(RIGHT, fences, ASM_FENCE("acq_rel.gpu");
        ASM_STORE("relaxed.gpu", b), "relaxed.gpu", ASM_FENCE("acq_rel.gpu"))
BY_HAND(RIGHT, fences_of_the_system, ASM_FENCE("sc.sys");
        ASM_STORE("relaxed.sys", b), "relaxed.sys", ASM_FENCE("sc.sys"))
BY_HAND(RACY, fence_of_the_block, ASM_FENCE("acq_rel.cta");
        ASM_STORE("relaxed.gpu", b), "relaxed.gpu", ASM_FENCE("acq_rel.gpu"))
BY_HAND(RACY, fence_of_the_block_behind, ASM_FENCE("acq_rel.gpu");
        ASM_STORE("relaxed.gpu", b), "relaxed.gpu", ASM_FENCE("acq_rel.cta"))
BY_HAND(RACY, no_fence, ASM_STORE("relaxed.gpu", b), "relaxed.gpu", ASM_FENCE("acq_rel.gpu"))
BY_HAND(RIGHT, reduction_releases, ASM_RED("release.gpu", b), "acquire.gpu", )
BY_HAND(RACY, reduction_of_the_block, ASM_RED("release.cta", b), "acquire.gpu", )
BY_HAND(RACY, relaxed_reduction, ASM_RED("relaxed.gpu", b), "acquire.gpu", )
BY_HAND(RACY, flag_before_the_fence, ASM_STORE("relaxed.gpu", b);
        ASM_FENCE("acq_rel.gpu"), "relaxed.gpu", ASM_FENCE("acq_rel.gpu"))
// The flag first, then the word; the word first, then the wait.
#define ORDER(label, name, give, get) \
  label(2, 32, order_##name) {        \
    ONE_OF_EACH_BLOCK;                \
    volatile int *const flag = b;     \
    int x = 0;                        \
    if (blockIdx.x == 0) {            \
      give;                           \
    } else {                          \
      get;                            \
      c[0] = x;                       \
    }                                 \
  }
#define WAIT           \
  while (*flag == 0) { \
  }
ORDER(RIGHT, as_it_should_be, a[0] = 1; DEVICE; *flag = 1, WAIT; DEVICE; x = a[0])
ORDER(RACY, flag_first, *flag = 1; DEVICE; a[0] = 1, WAIT; DEVICE; x = a[0])
ORDER(RACY, read_first, a[0] = 1; DEVICE; *flag = 1, x = a[0]; WAIT; DEVICE)
ORDER(RACY, fence_before_the_word, DEVICE; a[0] = 1; *flag = 1, WAIT; DEVICE; x = a[0])
ORDER(RACY, fence_before_the_wait, a[0] = 1; DEVICE; *flag = 1, DEVICE; WAIT; x = a[0])

// The last block of a reduction, by an atomic of PTX or libcu++; every thread has stored.
#define LAST(label, name, before, meet, count, behind)                                 \
  label(4, 64, last_##name) {                                                          \
    __shared__ bool last;                                                              \
    a[blockIdx.x * 64 + threadIdx.x] = 1;                                              \
    before;                                                                            \
    meet;                                                                              \
    if (threadIdx.x == 0) {                                                            \
      int found;                                                                       \
      count;                                                                           \
      last = found == 3;                                                               \
    }                                                                                  \
    __syncthreads();                                                                   \
    behind;                                                                            \
    if (last && threadIdx.x < 4) atomicAdd(c, a[threadIdx.x * 64 + 60 + threadIdx.x]); \
  }
#define ASM_COUNT(how) \
  asm volatile("atom." how ".global.add.s32 %0, [%1], 1;" : "=r"(found) : "l"(b) : "memory")
LAST(RIGHT, by_hand, , __syncthreads(), ASM_COUNT("acq_rel.gpu"), )
LAST(RACY, by_hand_in_the_block, , __syncthreads(), ASM_COUNT("acq_rel.cta"), )
LAST(RACY, by_hand_relaxed, , __syncthreads(), ASM_COUNT("relaxed.gpu"), )
LAST(RIGHT, all_fence, DEVICE, __syncthreads(), found = atomicAdd(b, 1), )
LAST(RACY, one_fences_too_early, if (threadIdx.x == 0) DEVICE, __syncthreads(), found = atomicAdd(b, 1), )
LAST(RIGHT, one_fences_behind_the_barrier, , __syncthreads();
     if (threadIdx.x == 0) DEVICE, found = atomicAdd(b, 1), )
LAST(RACY, no_barrier, DEVICE, , found = atomicAdd(b, 1), )
LAST(RACY, block_fences, BLOCK, __syncthreads(), found = atomicAdd(b, 1), BLOCK)
LAST(RIGHT, reference, , __syncthreads(), found = REF(device, *b).fetch_add(1, cuda::memory_order_acq_rel), )
LAST(RACY, reference_of_the_block, , __syncthreads(),
     found = REF(block, *b).fetch_add(1, cuda::memory_order_acq_rel), )
LAST(RACY, reference_only_acquires, , __syncthreads(),
     found = REF(device, *b).fetch_add(1, cuda::memory_order_acquire), )
LAST(RIGHT, wraps_around, DEVICE, __syncthreads(), found = static_cast<int>(atomicInc((unsigned *)b, 3)), )

// A ring of four places between two blocks: head and tail are flags; the consumer gives places back.
#define RING(label, name, filled, taken, waited)        \
  label(2, 32, ring_##name) {                           \
    ONE_OF_EACH_BLOCK;                                  \
    volatile int *const head = b, *const tail = b + 32; \
    for (int i = 0; i < 12; ++i)                        \
      if (blockIdx.x == 0) {                            \
        while (i - *tail == 4) {                        \
        }                                               \
        waited;                                         \
        a[i % 4] = i;                                   \
        filled;                                         \
        *head = i + 1;                                  \
      } else {                                          \
        while (*head <= i) {                            \
        }                                               \
        waited;                                         \
        c[i] = a[i % 4];                                \
        taken;                                          \
        *tail = i + 1;                                  \
      }                                                 \
  }
RING(RIGHT, fences, DEVICE, DEVICE, DEVICE)
RING(RACY, no_fence_of_the_producer, , DEVICE, DEVICE)
RING(RACY, no_fence_of_the_consumer, DEVICE, , DEVICE)
RING(RACY, no_fence_behind_the_waits, DEVICE, DEVICE, )
RING(RACY, fences_of_the_block, BLOCK, BLOCK, BLOCK)
#define RING_OF_REFS(label, name, scope, give, back, get)                      \
  label(2, 32, ring_of_refs_##name) {                                          \
    ONE_OF_EACH_BLOCK;                                                         \
    cuda::atomic_ref<int, cuda::thread_scope_##scope> head(b[0]), tail(b[32]); \
    for (int i = 0; i < 12; ++i)                                               \
      if (blockIdx.x == 0) {                                                   \
        while (i - tail.load(cuda::memory_order_##get) == 4) {                 \
        }                                                                      \
        a[i % 4] = i;                                                          \
        head.store(i + 1, cuda::memory_order_##give);                          \
      } else {                                                                 \
        while (head.load(cuda::memory_order_##get) <= i) {                     \
        }                                                                      \
        c[i] = a[i % 4];                                                       \
        tail.store(i + 1, cuda::memory_order_##back);                          \
      }                                                                        \
  }
RING_OF_REFS(RIGHT, ordered, device, release, release, acquire)
RING_OF_REFS(RACY, given_back_relaxed, device, release, relaxed, acquire)
RING_OF_REFS(RACY, filled_relaxed, device, relaxed, release, acquire)
RING_OF_REFS(RACY, waits_relaxed, device, release, release, relaxed)
RING_OF_REFS(RACY, of_the_block, block, release, release, acquire)

// A queue whose places have numbers: a producer draws a number and waits until its place is free.
#define PLACES(label, name, give, get)                                                          \
  label(4, 32, places_##name) {                                                                 \
    ONE_OF_EACH_BLOCK;                                                                          \
    const bool fills = blockIdx.x % 2 == 0;                                                     \
    for (int i = 0; i < 4; ++i) {                                                               \
      const int mine = REF(device, b[fills ? 0 : 32]).fetch_add(1, cuda::memory_order_relaxed); \
      cuda::atomic_ref<int, cuda::thread_scope_device> round(b[64 + mine % 4]);                 \
      const int due = 2 * (mine / 4) + (fills ? 0 : 1);                                         \
      while (round.load(cuda::memory_order_##get) != due) {                                     \
      }                                                                                         \
      if (fills)                                                                                \
        a[mine % 4] = mine;                                                                     \
      else                                                                                      \
        c[mine] = a[mine % 4];                                                                  \
      round.store(due + 1, cuda::memory_order_##give);                                          \
    }                                                                                           \
  }
PLACES(RIGHT, ordered, release, acquire)
PLACES(RACY, relaxed_store, relaxed, acquire)
PLACES(RACY, relaxed_load, release, relaxed)

// Look-back over sums that travel with their status in one word need no fence; a sum of its own does.
#define PACKED(label, name, give, take)                                                    \
  label(8, 32, packed_##name) {                                                            \
    ONE_OF_EACH_BLOCK;                                                                     \
    volatile unsigned long long *const status = reinterpret_cast<unsigned long long *>(b); \
    volatile int *const sums = a;                                                          \
    (void)sums;                                                                            \
    const int me = static_cast<int>(blockIdx.x);                                           \
    int sum = me + 1;                                                                      \
    for (int at = me - 1; at >= 0; --at) {                                                 \
      unsigned long long seen;                                                             \
      do seen = status[at];                                                                \
      while (seen == 0);                                                                   \
      sum += take;                                                                         \
      if (seen >> 32 == 2) break;                                                          \
    }                                                                                      \
    give;                                                                                  \
    c[me] = sum;                                                                           \
  }
PACKED(RIGHT, with_the_sum, status[me] = 2ull << 32 | static_cast<unsigned>(sum), static_cast<int>(seen))
PACKED(RIGHT, beside_the_sum, sums[me] = sum; DEVICE; status[me] = 2ull << 32, (DEVICE, sums[at]))
PACKED(RACY, beside_the_sum_no_fence, sums[me] = sum; status[me] = 2ull << 32, sums[at])
PACKED(RACY, beside_the_sum_block_fence, sums[me] = sum; BLOCK; status[me] = 2ull << 32, (BLOCK, sums[at]))

// Locks that are tried, and tested before.
#define TRY(label, name, take, enter, leave)           \
  label(4, 64, try_##name) {                           \
    if (threadIdx.x % 32 != 0) return;                 \
    volatile int *const look = b;                      \
    (void)look;                                        \
    for (int pause = 8;; pause = min(2 * pause, 64)) { \
      if (take) break;                                 \
      __nanosleep(pause);                              \
    }                                                  \
    enter;                                             \
    a[0] += 1;                                         \
    leave;                                             \
    atomicExch(b, 0);                                  \
  }
TRY(RIGHT, backs_off, atomicCAS(b, 0, 1) == 0, DEVICE, DEVICE)
TRY(RIGHT, tests_first, *look == 0 && atomicCAS(b, 0, 1) == 0, DEVICE, DEVICE)
TRY(RIGHT, exchanges, atomicExch(b, 1) == 0, DEVICE, DEVICE)
TRY(RACY, no_fence_at_the_end, atomicCAS(b, 0, 1) == 0, DEVICE, )
TRY(RACY, no_fence_at_the_start, *look == 0 && atomicCAS(b, 0, 1) == 0, , DEVICE)
TRY(RACY, block_fences, *look == 0 && atomicExch(b, 1) == 0, BLOCK, BLOCK)
TRY(RACY, of_the_block, atomicCAS_block(b, 0, 1) == 0, DEVICE, DEVICE)
#define ELSE(label, name, enter, other, leave) \
  label(4, 32, try_else_##name) {              \
    ONE_OF_EACH_BLOCK;                         \
    if (atomicCAS(b, 0, 1) == 0) {             \
      enter;                                   \
      a[0] += 1;                               \
      leave;                                   \
      atomicExch(b, 0);                        \
    } else {                                   \
      other;                                   \
    }                                          \
  }
ELSE(RIGHT, counts_elsewhere, DEVICE, atomicAdd(a + 1, 1), DEVICE)
ELSE(RACY, no_fence, , atomicAdd(a + 1, 1), )

// Along a list, hand over hand, over plain words: the lock of a node protects its word.
#define LIST(label, name, between, before) \
  label(3, 32, list_##name) {              \
    ONE_OF_EACH_BLOCK;                     \
    while (atomicCAS(b, 0, 1) != 0) {      \
    }                                      \
    DEVICE;                                \
    for (int node = 0; node < 4; ++node) { \
      before;                              \
      a[node] += 1;                        \
      DEVICE;                              \
      between;                             \
    }                                      \
    atomicExch(b + 4, 0);                  \
  }
#define NEXT                                   \
  while (atomicCAS(b + node + 1, 0, 1) != 0) { \
  }                                            \
  DEVICE
LIST(RIGHT, next_first, NEXT; atomicExch(b + node, 0), )
LIST(RIGHT, one_at_a_time, atomicExch(b + node, 0); NEXT, )
LIST(RACY, node_behind, NEXT; atomicExch(b + node, 0), if (node > 0) a[node - 1] += 1; DEVICE)

// Producers count; one thread waits until all have come.
#define COUNT(label, name, first, others, until) \
  label(4, 32, count_##name) {                   \
    ONE_OF_EACH_BLOCK;                           \
    volatile int *const counter = b;             \
    if (blockIdx.x < 3) {                        \
      a[blockIdx.x] = 1;                         \
      if (blockIdx.x == 0) {                     \
        first;                                   \
      } else {                                   \
        others;                                  \
      }                                          \
      atomicAdd(b, 1);                           \
    } else {                                     \
      while (*counter < until) {                 \
      }                                          \
      DEVICE;                                    \
      c[0] = a[0] + a[1] + a[2];                 \
    }                                            \
  }
COUNT(RIGHT, all_fence, DEVICE, DEVICE, 3)
COUNT(RACY, first_has_no_fence, , DEVICE, 3)
COUNT(RACY, first_has_block_fence, BLOCK, DEVICE, 3)
// A barrier of all blocks, whose counter only grows.
#define GROWS(label, name, fence, all)                           \
  label(4, 32, grows_##name) {                                   \
    ONE_OF_EACH_BLOCK;                                           \
    volatile int *const counter = b;                             \
    for (int round = 1; round < 4; ++round) {                    \
      a[round * 4 + blockIdx.x] = round;                         \
      fence;                                                     \
      atomicAdd(b, 1);                                           \
      while (*counter < round * (all)) {                         \
      }                                                          \
      fence;                                                     \
      c[round * 4 + blockIdx.x] = a[round * 4 + 3 - blockIdx.x]; \
    }                                                            \
  }
GROWS(RIGHT, device, DEVICE, 4)
GROWS(RACY, block, BLOCK, 4)
GROWS(RACY, does_not_wait_for_all, DEVICE, 3)

// Three blocks in a row; a mailbox; a word that is used again.
#define HOPS(label, name, first, second) \
  label(3, 32, hops_##name) {            \
    ONE_OF_EACH_BLOCK;                   \
    volatile int *const flag = b;        \
    if (blockIdx.x == 0) {               \
      a[0] = 1;                          \
      first;                             \
      flag[0] = 1;                       \
    } else if (blockIdx.x == 1) {        \
      while (flag[0] == 0) {             \
      }                                  \
      second;                            \
      flag[32] = 1;                      \
    } else {                             \
      while (flag[32] == 0) {            \
      }                                  \
      DEVICE;                            \
      c[0] = a[0];                       \
    }                                    \
  }
HOPS(RIGHT, fences, DEVICE, DEVICE)
HOPS(RACY, second_has_no_fence, DEVICE, )
HOPS(RACY, first_has_no_fence, , DEVICE)
HOPS(RACY, second_has_block_fence, DEVICE, BLOCK)
#define MAIL(label, name, before, behind) \
  label(2, 32, mail_##name) {             \
    ONE_OF_EACH_BLOCK;                    \
    if (blockIdx.x == 0) {                \
      a[5] = 7;                           \
      before;                             \
      atomicExch(b, 6);                   \
    } else {                              \
      int at;                             \
      do at = atomicExch(b, 0);           \
      while (at == 0);                    \
      behind;                             \
      c[0] = a[at - 1];                   \
    }                                     \
  }
MAIL(RIGHT, fences, DEVICE, DEVICE)
MAIL(RACY, no_fence_of_the_sender, , DEVICE)
MAIL(RACY, block_fence_of_the_sender, BLOCK, DEVICE)
#define REUSE(label, name, before, confirm)            \
  label(2, 32, reuse_##name) {                         \
    ONE_OF_EACH_BLOCK;                                 \
    volatile int *const sent = b, *const got = b + 32; \
    for (int i = 1; i < 5; ++i)                        \
      if (blockIdx.x == 0) {                           \
        a[0] = i;                                      \
        DEVICE;                                        \
        *sent = i;                                     \
        while (*got != i) {                            \
        }                                              \
        DEVICE;                                        \
      } else {                                         \
        while (*sent != i) {                           \
        }                                              \
        DEVICE;                                        \
        before;                                        \
        confirm;                                       \
        *got = i;                                      \
      }                                                \
  }
REUSE(RIGHT, confirmed, c[i] = a[0], DEVICE)
REUSE(RACY, confirmed_without_fence, c[i] = a[0], )
REUSE(RACY, confirmed_by_the_block, c[i] = a[0], BLOCK)

// Whoever comes first makes a value, the others look whether it is there.
#define ONCE(label, name, word, look, fence) \
  label(4, 32, once_##name) {                \
    ONE_OF_EACH_BLOCK;                       \
    word *const made = b;                    \
    if (look == 0) {                         \
      while (atomicCAS(b + 32, 0, 1) != 0) { \
      }                                      \
      DEVICE;                                \
      if (look == 0) {                       \
        a[0] = 42;                           \
        fence;                               \
        *made = 1;                           \
      }                                      \
      DEVICE;                                \
      atomicExch(b + 32, 0);                 \
    }                                        \
    DEVICE;                                  \
    c[blockIdx.x] = a[0];                    \
  }
ONCE(RIGHT, volatile_look, volatile int, *made, DEVICE)
ONCE(RIGHT, atomic_look, volatile int, atomicAdd(b, 0), DEVICE)
ONCE(RACY, plain_look, int, *made, DEVICE)

// libcu++: flags that are waited for, and of the block between warps.
#define WAITS(label, blocks, threads, name, scope, first, second, give, get) \
  label(blocks, threads, waits_##name) {                                     \
    cuda::atomic_ref<int, cuda::thread_scope_##scope> flag(*b);              \
    if (first) {                                                             \
      a[0] = 1;                                                              \
      flag.store(1, cuda::memory_order_##give);                              \
      flag.notify_all();                                                     \
    } else if (second) {                                                     \
      flag.wait(0, cuda::memory_order_##get);                                \
      c[0] = a[0];                                                           \
    }                                                                        \
  }
#define TWO_BLOCKS threadIdx.x == 0 && blockIdx.x == 0, threadIdx.x == 0 && blockIdx.x == 1
#define TWO_WARPS threadIdx.x == 0, threadIdx.x == 32
#define WAITS_(...) WAITS(__VA_ARGS__)
WAITS_(RIGHT, 2, 32, device, device, TWO_BLOCKS, release, acquire)
WAITS_(RACY, 2, 32, block_between_blocks, block, TWO_BLOCKS, release, acquire)
WAITS_(RIGHT, 1, 64, block, block, TWO_WARPS, release, acquire)
WAITS_(RACY, 1, 64, block_relaxed_store, block, TWO_WARPS, relaxed, acquire)
WAITS_(RACY, 1, 64, block_relaxed_wait, block, TWO_WARPS, release, relaxed)

// An unrelated word is looked at with block scope first; the flag itself is read as it should be.
#define LOOKED_AT(label, name, before)                                 \
  label(2, 32, looked_at_##name) {                                     \
    ONE_OF_EACH_BLOCK;                                                 \
    if (blockIdx.x == 0) {                                             \
      a[1] = 2;                                                        \
      DEVICE;                                                          \
      *(volatile int *)c = 1;                                          \
      a[0] = 1;                                                        \
      before;                                                          \
      *(volatile int *)b = 1;                                          \
    } else {                                                           \
      while (REF(block, c[0]).load(cuda::memory_order_relaxed) == 0) { \
      }                                                                \
      while (*(volatile int *)b == 0) {                                \
      }                                                                \
      DEVICE;                                                          \
      a[2] = a[0];                                                     \
    }                                                                  \
  }
LOOKED_AT(RACY, no_fence, )
