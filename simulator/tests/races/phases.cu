// Mbarriers: what an arrival orders for threads that wait for its phase, and what it does not. For sm_90.
#include "mbarriers.cuh"

// Warp 0 fills words, warp 1 reads them.
#define HAND_OVER(label, name, write, read) \
  label(1, 64, phase_hand_over_##name) {    \
    __shared__ int words[32];               \
    BEGIN(2, 32);                           \
    if (WARP == 0) {                        \
      write;                                \
    } else {                                \
      read;                                 \
      a[LANE] = words[31 - LANE];           \
    }                                       \
  }
#define FILL words[LANE] = LANE
HAND_OVER(RIGHT, waited, FILL; arrive(&bar[0]), wait(&bar[0], 0))
HAND_OVER(RIGHT, tested, FILL; arrive(&bar[0]), while (!is_over(&bar[0], 0)))
HAND_OVER(RACY, not_waited, FILL; arrive(&bar[0]), )
HAND_OVER(RACY, arrived_before, arrive(&bar[0]); FILL, wait(&bar[0], 0))
HAND_OVER(RACY, other_barrier, arrive(&bar[1]); FILL; arrive(&bar[0]), wait(&bar[1], 0))
HAND_OVER(RIGHT, both_barriers, arrive(&bar[1]); FILL; arrive(&bar[0]), wait(&bar[1], 0); wait(&bar[0], 0))
// Of a barrier that is new, the phase before counts as over.
HAND_OVER(RACY, wrong_parity, FILL; arrive(&bar[0]), wait(&bar[1], 1))
HAND_OVER(RACY, relaxed_arrival, FILL; arrive_relaxed(&bar[0]), wait(&bar[0], 0))
HAND_OVER(RIGHT, fenced_relaxed_arrival, FILL; __threadfence_block();
          arrive_relaxed(&bar[0]), wait(&bar[0], 0))
HAND_OVER(RACY, relaxed_wait, FILL; arrive(&bar[0]), wait_relaxed(&bar[0], 0))
HAND_OVER(RIGHT, fenced_relaxed_wait, FILL; arrive(&bar[0]), wait_relaxed(&bar[0], 0); __threadfence_block())
HAND_OVER(RIGHT, no_complete, FILL; if (LANE != 0) ptx::mbarrier_arrive_no_complete(&bar[0], 1); __syncwarp();
          if (LANE == 0) arrive(&bar[0]), wait(&bar[0], 0))
HAND_OVER(RACY, volatile_flag_beside, FILL; c[0] = 1; arrive(&bar[0]), while (*(volatile int *)&c[0] == 0))
// A test that finds the phase still running orders nothing.
RACY(1, 64, phase_hand_over_looked_once) {
  __shared__ int words[32];
  BEGIN(1, 32);
  if (WARP == 1) {
    words[LANE] = LANE;
    arrive(&bar[0]);
  } else {
    c[LANE] = is_over(&bar[0], 0);
    a[LANE] = words[31 - LANE];
  }
}
RIGHT(1, 64, phase_hand_over_looked_once_and_believed) {
  __shared__ int words[32];
  BEGIN(1, 32);
  if (WARP == 1) {
    words[LANE] = LANE;
    arrive(&bar[0]);
  } else if (is_over(&bar[0], 0)) {
    a[LANE] = words[31 - LANE];
  }
}

// The words are read, then overwritten.
#define TAKE_BACK(label, name, read, write) \
  label(1, 64, phase_take_back_##name) {    \
    __shared__ int words[32];               \
    BEGIN(2, 32);                           \
    words[LANE] = LANE;                     \
    __syncthreads();                        \
    if (WARP == 0) {                        \
      read;                                 \
    } else {                                \
      write;                                \
      words[LANE] = 7;                      \
    }                                       \
  }
#define USE a[LANE] = words[31 - LANE]
TAKE_BACK(RIGHT, waited, USE; arrive(&bar[0]), wait(&bar[0], 0))
TAKE_BACK(RACY, not_waited, USE; arrive(&bar[0]), )
TAKE_BACK(RACY, released_before, arrive(&bar[0]); USE, wait(&bar[0], 0))
TAKE_BACK(RACY, read_again_behind, USE; arrive(&bar[0]); b[LANE] = words[LANE], wait(&bar[0], 0))

// One lane arrives for its warp, or waits for it.
#define ELECTED(label, name, told, heard) \
  label(1, 64, phase_elected_##name) {    \
    __shared__ int words[32];             \
    BEGIN(1, 1);                          \
    if (WARP == 0) {                      \
      words[LANE] = LANE;                 \
      told;                               \
      if (LANE == 0) arrive(&bar[0]);     \
    } else {                              \
      heard;                              \
      a[LANE] = words[31 - LANE];         \
    }                                     \
  }
ELECTED(RIGHT, arrives, __syncwarp(), wait(&bar[0], 0))
ELECTED(RACY, arrives_unsynced, , wait(&bar[0], 0))
ELECTED(RACY, arrives_after_a_shuffle, __shfl_sync(0xffffffff, LANE, 0), wait(&bar[0], 0))
ELECTED(RIGHT, waits, __syncwarp(), if (LANE == 0) wait(&bar[0], 0); __syncwarp())
ELECTED(RACY, waits_unsynced, __syncwarp(), if (LANE == 0) wait(&bar[0], 0))
// What the lane itself has done needs no sync.
RIGHT(1, 64, phase_elected_alone) {
  __shared__ int word;
  BEGIN(1, 1);
  if (threadIdx.x == 0) word = 5, arrive(&bar[0]);
  if (threadIdx.x == 32) wait(&bar[0], 0), a[0] = word;
}
// Lanes of one warp meet at an mbarrier, and need no other sync.
#define OF_ONE_WARP(label, name, first, second) \
  label(1, 32, phase_of_one_warp_##name) {      \
    __shared__ int words[32];                   \
    BEGIN(2, 16);                               \
    if (LANE < 16) {                            \
      words[LANE] = LANE;                       \
      first;                                    \
    } else {                                    \
      second;                                   \
      a[LANE] = words[31 - LANE];               \
    }                                           \
  }
OF_ONE_WARP(RIGHT, waited, arrive(&bar[0]), wait(&bar[0], 0))
OF_ONE_WARP(RACY, not_waited, arrive(&bar[0]), )
OF_ONE_WARP(RACY, filled_behind, arrive(&bar[0]); words[LANE] = 3, wait(&bar[0], 0))

// A thread that does not wait acquires nothing from a phase that has ended.
#define THIRD(label, name, own)                                                   \
  label(1, 96, phase_third_##name) {                                              \
    __shared__ int words[32];                                                     \
    BEGIN(2, 32);                                                                 \
    if (WARP == 0) words[LANE] = LANE, arrive(&bar[0]);                           \
    if (WARP == 1) wait(&bar[0], 0), arrive(&bar[1]), a[LANE] = words[31 - LANE]; \
    if (WARP == 2) {                                                              \
      own;                                                                        \
      b[LANE] = words[31 - LANE];                                                 \
    }                                                                             \
  }
THIRD(RIGHT, waits, wait(&bar[0], 0))
THIRD(RACY, does_not_wait, )
THIRD(RIGHT, told_by_the_second, wait(&bar[1], 0))
RIGHT(1, 96, phase_third_behind_a_barrier) {
  __shared__ int words[32];
  BEGIN(1, 32);
  if (WARP == 0) words[LANE] = LANE, arrive(&bar[0]);
  if (WARP == 1) wait(&bar[0], 0);
  __syncthreads();
  a[threadIdx.x] = words[31 - LANE];
}
RACY(1, 96, phase_third_told_too_early) {
  __shared__ int words[32];
  BEGIN(2, 32);
  if (WARP == 0) words[LANE] = LANE, arrive(&bar[0]);
  if (WARP == 1) arrive(&bar[1]), wait(&bar[0], 0), a[LANE] = words[31 - LANE];
  if (WARP == 2) wait(&bar[1], 0), b[LANE] = words[31 - LANE];
}

// Words of global memory are ordered in the same way.
#define GLOBAL(label, name, before, behind) \
  label(1, 64, phase_global_##name) {       \
    BEGIN(2, 32);                           \
    if (WARP == 0) {                        \
      before;                               \
    } else {                                \
      behind;                               \
      c[LANE] = a[31 - LANE];               \
    }                                       \
  }
GLOBAL(RIGHT, waited, a[LANE] = 1; arrive(&bar[0]), wait(&bar[0], 0))
GLOBAL(RACY, arrived_before, arrive(&bar[0]); a[LANE] = 1, wait(&bar[0], 0))
GLOBAL(RACY, changed_behind, a[LANE] = 1; arrive(&bar[1]); arrive(&bar[0]); b[LANE] = 1;
       a[LANE] = 2, wait(&bar[0], 0))

// A ring of two slots: full and empty barriers.
#define RING(label, name, fill, take)              \
  label(1, 64, phase_ring_##name) {                \
    __shared__ int slot[2][32];                    \
    BEGIN(4, 32);                                  \
    Bar *const full = bar, *const empty = bar + 2; \
    for (int i = 0; i < 8; ++i) {                  \
      const int s = i % 2, round = i / 2 % 2;      \
      if (WARP == 0) {                             \
        fill;                                      \
      } else {                                     \
        take;                                      \
      }                                            \
    }                                              \
  }
#define PUT slot[s][LANE] = i
#define GET a[i * 32 + LANE] = slot[s][31 - LANE]
RING(RIGHT, of_two, wait(&empty[s], round ^ 1); PUT; arrive(&full[s]), wait(&full[s], round); GET;
     arrive(&empty[s]))
RING(RACY, released_before_the_read, wait(&empty[s], round ^ 1); PUT; arrive(&full[s]), wait(&full[s], round);
     arrive(&empty[s]); GET)
RING(RACY, filled_behind_the_arrival, wait(&empty[s], round ^ 1); arrive(&full[s]);
     PUT, wait(&full[s], round); GET; arrive(&empty[s]))
RING(RACY, wrong_slot, wait(&empty[s], round ^ 1); slot[s ^ 1][LANE] = i;
     arrive(&full[s]), wait(&full[s], round); GET; arrive(&empty[s]))
RING(RACY, reads_the_next_slot, wait(&empty[s], round ^ 1); PUT; arrive(&full[s]), wait(&full[s], round); GET;
     a[LANE] = slot[s ^ 1][31 - LANE]; arrive(&empty[s]))
RING(RACY, waits_for_one_slot, if (s == 0) wait(&empty[s], round ^ 1); PUT;
     arrive(&full[s]), wait(&full[s], round); GET; arrive(&empty[s]))

// cuda::barrier: between an arrival and the wait for it nothing is ordered.
#pragma nv_diag_suppress static_var_with_dynamic_init
#define OBJECT(label, name, between, behind)                    \
  label(1, 64, phase_object_##name) {                           \
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier; \
    __shared__ int words[64], more[64];                         \
    const int t = static_cast<int>(threadIdx.x);                \
    if (t == 0) init(&barrier, 64);                             \
    __syncthreads();                                            \
    words[t] = t;                                               \
    auto token = barrier.arrive();                              \
    between;                                                    \
    barrier.wait(std::move(token));                             \
    a[t] = words[63 - t];                                       \
    behind;                                                     \
    b[t] = more[t];                                             \
  }
OBJECT(RIGHT, own_words, more[t] = 1, )
OBJECT(RACY, late_write, words[t] = t + 1; more[t] = 0, )
OBJECT(RACY, early_read, b[t] = words[63 - t]; more[t] = 0, )
OBJECT(RACY, write_between, more[63 - t] = 1, )
OBJECT(RIGHT, second_phase, more[63 - t] = 1, barrier.arrive_and_wait())
// The same with all in one.
#define AND_WAIT(label, name, first, second)                    \
  label(1, 96, phase_and_wait_##name) {                         \
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier; \
    __shared__ int words[96];                                   \
    const int t = static_cast<int>(threadIdx.x);                \
    if (t == 0) init(&barrier, 96);                             \
    __syncthreads();                                            \
    for (int i = 0; i < 3; ++i) {                               \
      words[t] = i;                                             \
      first;                                                    \
      a[t] += words[95 - t];                                    \
      second;                                                   \
    }                                                           \
  }
AND_WAIT(RIGHT, twice, barrier.arrive_and_wait(), barrier.arrive_and_wait())
AND_WAIT(RACY, once, barrier.arrive_and_wait(), )
AND_WAIT(RACY, not_for_the_others, (void)barrier.arrive(), barrier.arrive_and_wait())
// Some threads leave the barrier and continue: what they do then is not ordered.
#define DROP(label, name, where)                                \
  label(1, 64, phase_drop_##name) {                             \
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier; \
    __shared__ int words[64];                                   \
    const int t = static_cast<int>(threadIdx.x);                \
    if (t == 0) init(&barrier, 64);                             \
    __syncthreads();                                            \
    words[t] = t;                                               \
    if (t >= 32) {                                              \
      barrier.arrive_and_drop();                                \
      where = 5;                                                \
    } else {                                                    \
      barrier.arrive_and_wait();                                \
      a[t] = words[t + 32];                                     \
    }                                                           \
  }
DROP(RIGHT, elsewhere, b[t])
DROP(RACY, same_words, words[t])

// cuda::pipeline: a warp fetches, a warp uses.
#define PIPELINE(label, name, before_use, behind_use)                                                 \
  label(1, 64, phase_pipeline_##name) {                                                               \
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;                        \
    __shared__ alignas(16) int stage[2][32];                                                          \
    const auto role = WARP == 0 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;      \
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, role);           \
    for (int i = 0; i < 6; ++i) {                                                                     \
      if (WARP == 0) {                                                                                \
        pipe.producer_acquire();                                                                      \
        cuda::memcpy_async(&stage[i % 2][LANE], b + i * 32 + LANE, cuda::aligned_size_t<4>(4), pipe); \
        pipe.producer_commit();                                                                       \
      } else {                                                                                        \
        before_use;                                                                                   \
        a[i * 32 + LANE] = stage[i % 2][31 - LANE];                                                   \
        behind_use;                                                                                   \
      }                                                                                               \
    }                                                                                                 \
  }
PIPELINE(RIGHT, of_two_warps, pipe.consumer_wait(), pipe.consumer_release())
PIPELINE(RACY, released_before, pipe.consumer_wait(); pipe.consumer_release(), )

// Copies that an mbarrier counts are visible to threads that wait for them, whichever thread started them.
#define COPIED(label, name, mine, others)                \
  label(1, 96, phase_copied_##name) {                    \
    __shared__ alignas(16) int words[32];                \
    BEGIN(2, 1);                                         \
    if (threadIdx.x == 0) fetch(words, b, 128, &bar[0]); \
    if (WARP == 0) {                                     \
      mine;                                              \
    } else {                                             \
      others;                                            \
    }                                                    \
  }
#define READ_COPY c[threadIdx.x] = words[31 - LANE]
COPIED(RIGHT, all_wait, wait(&bar[0], 0); READ_COPY, wait(&bar[0], 0); READ_COPY)
COPIED(RACY, who_started_does_not_wait, if (LANE == 0) while (*(volatile int *)a == 0);
       READ_COPY, wait(&bar[0], 0); READ_COPY; if (threadIdx.x == 32) * (volatile int *)a = 1)
COPIED(RACY, last_warp_does_not_wait, wait(&bar[0], 0); READ_COPY, if (WARP == 1) wait(&bar[0], 0); READ_COPY)
COPIED(RIGHT, told_by_another, wait(&bar[0], 0); if (LANE == 0) arrive(&bar[1]), wait(&bar[1], 0); READ_COPY)
RIGHT(1, 96, phase_copied_behind_a_barrier) {
  __shared__ alignas(16) int words[32];
  BEGIN(1, 1);
  if (threadIdx.x == 0) fetch(words, b, 128, &bar[0]), wait(&bar[0], 0);
  __syncthreads();
  READ_COPY;
}
RACY(1, 32, phase_copied_over_the_first_copy) {
  __shared__ alignas(16) int words[32];
  BEGIN(2, 1);
  if (threadIdx.x < 2) fetch(words, b + 32 * threadIdx.x, 128, &bar[threadIdx.x]);
  wait(&bar[0], 0);
  wait(&bar[1], 0);
  READ_COPY;
}
// Copies of a lane (cp.async) that an mbarrier waits for.
#define OF_LANES(label, name, mine, others)                                                            \
  label(1, 64, phase_copied_by_lanes_##name) {                                                         \
    __shared__ alignas(16) int words[32];                                                              \
    BEGIN(1, 32);                                                                                      \
    if (WARP == 0) {                                                                                   \
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&words[LANE])), "l"(b + LANE)); \
      mine;                                                                                            \
    } else {                                                                                           \
      others;                                                                                          \
      READ_COPY;                                                                                       \
    }                                                                                                  \
  }
#define NOINC asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar[0])) : "memory")
OF_LANES(RIGHT, told, NOINC, wait(&bar[0], 0))
OF_LANES(RACY, only_arrived, arrive(&bar[0]), wait(&bar[0], 0))
OF_LANES(RACY, not_waited, NOINC, )
OF_LANES(RIGHT, group_awaited, asm volatile("cp.async.wait_all;"); arrive(&bar[0]), wait(&bar[0], 0))

// A ring that bulk copies fill.
#define REFILL(label, name, before_fetch, before_use, behind_use)                           \
  label(1, 96, phase_refill_##name) {                                                       \
    __shared__ alignas(16) int slot[2][32];                                                 \
    __shared__ alignas(8) Bar full[2];                                                      \
    BEGIN(2, 2);                                                                            \
    Bar *const empty = bar;                                                                 \
    if (threadIdx.x == 0) ptx::mbarrier_init(&full[0], 1), ptx::mbarrier_init(&full[1], 1); \
    __syncthreads();                                                                        \
    for (int i = 0; i < 6; ++i) {                                                           \
      const int s = i % 2, round = i / 2 % 2;                                               \
      if (threadIdx.x == 0) {                                                               \
        before_fetch;                                                                       \
        fetch(slot[s], b + 32 * i, 128, &full[s]);                                          \
      } else if (WARP != 0) {                                                               \
        before_use;                                                                         \
        a[i * 64 + static_cast<int>(threadIdx.x) - 32] = slot[s][31 - LANE];                \
        behind_use;                                                                         \
      }                                                                                     \
    }                                                                                       \
  }
#define RELEASE \
  if (LANE == 0) give_back(&empty[s])
REFILL(RIGHT, waited, wait(&empty[s], round ^ 1), wait(&full[s], round), __syncwarp(); RELEASE)
REFILL(RACY, released_before, wait(&empty[s], round ^ 1), wait(&full[s], round); RELEASE, )
REFILL(RACY, released_by_one_lane_unsynced, wait(&empty[s], round ^ 1), wait(&full[s], round), RELEASE)
