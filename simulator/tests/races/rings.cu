// Rings and relays of mbarriers as they are commonly written. For sm_90.
#include "mbarriers.cuh"

// Warp 0 starts bulk copies, three warps use them, the last one in between adds. One lane of each arrives.
#define STAGES 4
#define TURNS 10
#define WARPS(label, name, starter, hear_empty, hear_full, tell_empty)                                    \
  label(1, 128, rings_warps_##name) {                                                                     \
    __shared__ alignas(16) int slot[STAGES][32];                                                          \
    __shared__ alignas(8) Bar full[STAGES];                                                               \
    __shared__ alignas(8) Bar empty[STAGES];                                                              \
    if (threadIdx.x == 0) {                                                                               \
      for (int s = 0; s < STAGES; ++s) ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&empty[s], 3); \
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);                                     \
    }                                                                                                     \
    __syncthreads();                                                                                      \
    int s = 0, parity = 0;                                                                                \
    for (int i = 0; i < TURNS; ++i) {                                                                     \
      if (WARP == 0) {                                                                                    \
        if (LANE == (starter)) {                                                                          \
          hear_empty;                                                                                     \
          fetch(slot[s], b + 32 * i, 128, &full[s]);                                                      \
        }                                                                                                 \
      } else {                                                                                            \
        hear_full;                                                                                        \
        a[i * 96 + static_cast<int>(threadIdx.x) - 32] = slot[s][31 - LANE];                              \
        tell_empty;                                                                                       \
      }                                                                                                   \
      if (++s == STAGES) s = 0, parity ^= 1;                                                              \
    }                                                                                                     \
  }
#define EMPTY wait(&empty[s], parity ^ 1)
#define FULL wait(&full[s], parity)
#define FREE \
  if (LANE == 0) give_back(&empty[s])
WARPS(RIGHT, of_four, 0, EMPTY, FULL, __syncwarp(); FREE)
WARPS(RIGHT, first_round_unwaited, 0, if (i >= STAGES) EMPTY, FULL, __syncwarp(); FREE)
WARPS(RIGHT, one_lane_waits, 0, EMPTY, if (LANE == 0) FULL; __syncwarp(), __syncwarp(); FREE)
// Each slot has a separate lane: one that came to a slot late could take an old phase for the one to wait for.
WARPS(RIGHT, other_lanes, i % 2, EMPTY, FULL, __syncwarp(); if (LANE == 31) give_back(&empty[s]))
WARPS(RIGHT, waits_by_halves, 0, EMPTY, if (LANE < 16) FULL; else FULL, __syncwarp(); FREE)
WARPS(RIGHT, changed_by_its_reader, 0, EMPTY, FULL; __syncwarp();
      if (WARP == 3) c[LANE] = slot[s][LANE], __syncwarp(); FREE)
WARPS(RACY, never_waits_for_empty, i / STAGES, , FULL, __syncwarp(); FREE)
WARPS(RACY, a_round_late, i / STAGES, if (i >= 2 * STAGES) EMPTY, FULL, __syncwarp(); FREE)
WARPS(RACY, freed_by_one_warp_early, i / STAGES, EMPTY, FULL; if (WARP == 2) FREE, __syncwarp();
      if (WARP != 2) FREE)

// Producers that store, all of whose threads arrive; the consumers arrive all too.
#define STORES(label, name, late)                                    \
  label(1, 128, rings_stores_##name) {                               \
    __shared__ int slot[3][64];                                      \
    __shared__ alignas(8) Bar full[3];                               \
    BEGIN(3, 64);                                                    \
    Bar *const empty = bar;                                          \
    if (threadIdx.x < 3) ptx::mbarrier_init(&full[threadIdx.x], 64); \
    __syncthreads();                                                 \
    const int t = static_cast<int>(threadIdx.x) % 64;                \
    for (int i = 0; i < 9; ++i) {                                    \
      const int s = i % 3, parity = i / 3 % 2;                       \
      if (threadIdx.x < 64) {                                        \
        wait(&empty[s], parity ^ 1);                                 \
        slot[s][t] = i;                                              \
        arrive(&full[s]);                                            \
      } else {                                                       \
        wait(&full[s], parity);                                      \
        a[i * 64 + t] = slot[s][63 - t];                             \
        arrive(&empty[s]);                                           \
        late;                                                        \
      }                                                              \
    }                                                                \
  }
STORES(RIGHT, two_by_two, )
STORES(RACY, late_read, b[t] += slot[s][t])

// Three warps in a row: each takes from the one before and hands on.
#define RELAY(label, name, hand_on)                              \
  label(1, 96, rings_relay_##name) {                             \
    __shared__ int first[32], second[32];                        \
    BEGIN(4, 32);                                                \
    for (int i = 0; i < 4; ++i) {                                \
      const int parity = i % 2;                                  \
      if (WARP == 0) {                                           \
        wait(&bar[2], parity ^ 1);                               \
        first[LANE] = i;                                         \
        arrive(&bar[0]);                                         \
      } else if (WARP == 1) {                                    \
        wait(&bar[0], parity);                                   \
        hand_on;                                                 \
      } else {                                                   \
        wait(&bar[1], parity);                                   \
        a[i * 32 + LANE] = first[31 - LANE] + second[31 - LANE]; \
        arrive(&bar[2]);                                         \
      }                                                          \
    }                                                            \
  }
RELAY(RIGHT, of_three, second[LANE] = first[LANE]; arrive(&bar[1]))
RELAY(RACY, handed_on_early, arrive(&bar[1]); second[LANE] = first[LANE])

// An mbarrier in one direction, a named barrier in the other.
#define MIXED(label, name, named)                                 \
  label(1, 64, rings_mixed_##name) {                              \
    __shared__ int words[32];                                     \
    BEGIN(1, 32);                                                 \
    for (int i = 0; i < 4; ++i) {                                 \
      if (WARP == 0) {                                            \
        if (i != 0) asm volatile("bar.sync 1, 64;" ::: "memory"); \
        words[LANE] = i;                                          \
        arrive(&bar[0]);                                          \
      } else {                                                    \
        wait(&bar[0], i % 2);                                     \
        named;                                                    \
      }                                                           \
    }                                                             \
  }
MIXED(RIGHT, with_a_named_barrier, a[i * 32 + LANE] = words[31 - LANE];
      if (i != 3) asm volatile("bar.arrive 1, 64;" ::
                                   : "memory"))
MIXED(RACY, with_a_named_barrier_too_early,
      if (i != 3) asm volatile("bar.arrive 1, 64;" ::
                                   : "memory");
      a[i * 32 + LANE] = words[31 - LANE])

// A warp waits at the mbarrier and releases to another block by a flag.
#define ON(label, name, hear, fence)               \
  label(2, 64, rings_on_to_a_block_##name) {       \
    BEGIN(1, 32);                                  \
    if (blockIdx.x == 0) {                         \
      if (WARP == 1) {                             \
        a[LANE] = LANE;                            \
        arrive(&bar[0]);                           \
      } else if (LANE == 0) {                      \
        hear;                                      \
        fence;                                     \
        atomicExch(&b[0], 1);                      \
      }                                            \
    } else if (WARP == 0) {                        \
      if (LANE == 0)                               \
        while (atomicAdd(&b[0], 0) == 0) continue; \
      __threadfence();                             \
      __syncwarp();                                \
      c[LANE] = a[LANE];                           \
    }                                              \
  }
ON(RIGHT, by_one_lane, wait(&bar[0], 0), __threadfence())
ON(RACY, unheard, , __threadfence())
ON(RACY, unfenced, wait(&bar[0], 0), )

// Tiles of results are stored by bulk copies; the thread that started one says when it has been read.
#define OUT(label, name, read_out)                                                       \
  label(1, 64, rings_out_##name) {                                                       \
    __shared__ alignas(16) int tile[32];                                                 \
    __shared__ alignas(8) Bar ready;                                                     \
    BEGIN(1, 1);                                                                         \
    if (threadIdx.x == 0) ptx::mbarrier_init(&ready, 32);                                \
    __syncthreads();                                                                     \
    for (int i = 0; i < 4; ++i) {                                                        \
      if (WARP == 1) {                                                                   \
        wait(&bar[0], i % 2 ^ 1);                                                        \
        tile[LANE] = i;                                                                  \
        ptx::fence_proxy_async(ptx::space_shared);                                       \
        arrive(&ready);                                                                  \
      } else if (LANE == 0) {                                                            \
        wait(&ready, i % 2);                                                             \
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, a + 32 * i, tile, 128); \
        ptx::cp_async_bulk_commit_group();                                               \
        read_out;                                                                        \
        arrive(&bar[0]);                                                                 \
      }                                                                                  \
    }                                                                                    \
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});                \
  }
OUT(RIGHT, waited, ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}))

// Copies of lanes (cp.async), each of which an mbarrier counts, in a ring.
#define LANES(label, name, told, free)                                                     \
  label(1, 64, rings_lanes_##name) {                                                       \
    __shared__ alignas(16) int slot[2][32];                                                \
    BEGIN(4, 32);                                                                          \
    Bar *const full = bar, *const empty = bar + 2;                                         \
    for (int i = 0; i < 8; ++i) {                                                          \
      const int s = i % 2, parity = i / 2 % 2;                                             \
      if (WARP == 0) {                                                                     \
        wait(&empty[s], parity ^ 1);                                                       \
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&slot[s][LANE])), \
                     "l"(b + 32 * i + LANE));                                              \
        told;                                                                              \
      } else {                                                                             \
        wait(&full[s], parity);                                                            \
        a[i * 32 + LANE] = slot[s][31 - LANE];                                             \
        free;                                                                              \
      }                                                                                    \
    }                                                                                      \
  }
#define NOINC_FULL \
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&full[s])) : "memory")
#define INC_FULL                                                                            \
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at(&full[s])) : "memory"); \
  arrive(&full[s])
LANES(RIGHT, counted, NOINC_FULL, arrive(&empty[s]))
LANES(RIGHT, added, INC_FULL, arrive(&empty[s]))
LANES(RACY, arrived_alone, arrive(&full[s]), arrive(&empty[s]))

#pragma nv_diag_suppress static_var_with_dynamic_init
// cuda::barrier with the arrival and the wait apart, for a ring of two.
#define SPLIT(label, name, late)                                                        \
  label(1, 128, rings_split_##name) {                                                   \
    using Barrier = cuda::barrier<cuda::thread_scope_block>;                            \
    __shared__ Barrier full[2], empty[2];                                               \
    __shared__ int slot[2][64];                                                         \
    if (threadIdx.x < 2) init(&full[threadIdx.x], 128), init(&empty[threadIdx.x], 128); \
    __syncthreads();                                                                    \
    const int t = static_cast<int>(threadIdx.x) % 64;                                   \
    if (threadIdx.x >= 64) (void)empty[0].arrive(), (void)empty[1].arrive();            \
    for (int i = 0; i < 6; ++i) {                                                       \
      const int s = i % 2;                                                              \
      if (threadIdx.x < 64) {                                                           \
        empty[s].arrive_and_wait();                                                     \
        slot[s][t] = i;                                                                 \
        (void)full[s].arrive();                                                         \
      } else {                                                                          \
        full[s].wait(full[s].arrive());                                                 \
        a[i * 64 + t] = slot[s][63 - t];                                                \
        (void)empty[s].arrive();                                                        \
        late;                                                                           \
      }                                                                                 \
    }                                                                                   \
  }
SPLIT(RIGHT, arrive_and_wait, )
SPLIT(RACY, late_read, b[t] += slot[s][t])

// All threads of the block produce and use, a stage ahead, and meet at cuda::pipeline of the block.
#define AHEAD(label, name, wait, release)                                                               \
  label(1, 64, rings_ahead_##name) {                                                                    \
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;                          \
    __shared__ alignas(16) int stage[2][64];                                                            \
    const auto block = cooperative_groups::this_thread_block();                                         \
    auto pipe = cuda::make_pipeline(block, &state);                                                     \
    const int t = static_cast<int>(threadIdx.x);                                                        \
    for (int i = 0, next = 0; i < 6; ++i) {                                                             \
      for (; next < 6 && next < i + 2; ++next) {                                                        \
        pipe.producer_acquire();                                                                        \
        cuda::memcpy_async(block, stage[next % 2], b + next * 64, cuda::aligned_size_t<16>(256), pipe); \
        pipe.producer_commit();                                                                         \
      }                                                                                                 \
      wait;                                                                                             \
      a[i * 64 + t] = stage[i % 2][63 - t];                                                             \
      release;                                                                                          \
    }                                                                                                   \
  }
AHEAD(RIGHT, of_two, pipe.consumer_wait(), pipe.consumer_release())

// A barrier of the block while a ring runs, and one for a new use of the same mbarrier.
RIGHT(1, 64, rings_behind_a_barrier) {
  __shared__ int words[64];
  BEGIN(1, 64);
  for (int i = 0; i < 4; ++i) {
    words[threadIdx.x] = i;
    arrive(&bar[0]);
    __syncthreads();
    a[threadIdx.x] += words[63 - threadIdx.x];
    wait(&bar[0], i % 2);
    __syncthreads();
  }
}
RIGHT(1, 64, rings_set_up_again) {
  __shared__ int words[32];
  for (int i = 0; i < 3; ++i) {
    BEGIN(1, 32);
    if (WARP == 0) words[LANE] = i, arrive(&bar[0]);
    if (WARP == 1) wait(&bar[0], 0), a[LANE] = words[31 - LANE];
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar[0])) : "memory");
    __syncthreads();
  }
}
// Lanes 1 to 31 have left; the one that stays copies.
RIGHT(1, 64, rings_of_a_lane_that_stays) {
  __shared__ alignas(16) int slot[2][32];
  __shared__ alignas(8) Bar full[2];
  BEGIN(2, 32);
  if (threadIdx.x < 2) ptx::mbarrier_init(&full[threadIdx.x], 1);
  __syncthreads();
  if (WARP == 0 && LANE != 0) return;
  for (int i = 0; i < 6; ++i) {
    const int s = i % 2, parity = i / 2 % 2;
    if (WARP == 0) {
      wait(&bar[s], parity ^ 1);
      fetch(slot[s], b + 32 * i, 128, &full[s]);
    } else {
      wait(&full[s], parity);
      a[i * 32 + LANE] = slot[s][31 - LANE];
      give_back(&bar[s]);
    }
  }
}
