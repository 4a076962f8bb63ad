// Kernels whose blocks meet at grid.sync(): accesses before and after it are ordered, all others race.
// Launched cooperatively, as all kernels whose names begin so.
#include <cooperative_groups.h>

#include "labels.cuh"

namespace cg = cooperative_groups;

#define GRID cg::this_grid().sync()
// Each block writes its words, and reads those of the next one.
#define NEXT_BLOCK(label, name, before, after)              \
  label(4, 64, cooperative_next_block_##name) {             \
    a[thread_in_grid()] = thread_in_grid();                 \
    before;                                                 \
    b[thread_in_grid()] = a[(thread_in_grid() + 64) % 256]; \
    after;                                                  \
    a[thread_in_grid()] = 1;                                \
  }
NEXT_BLOCK(RIGHT, both, GRID, GRID)
NEXT_BLOCK(RACY, no_first, , GRID)
NEXT_BLOCK(RACY, no_second, GRID, )
NEXT_BLOCK(RACY, barrier_of_the_block, __syncthreads(), GRID)
NEXT_BLOCK(RACY, barrier_of_the_block_at_the_end, GRID, __syncthreads())
NEXT_BLOCK(RACY, fences_alone, __threadfence(), __threadfence())

// A sum by halves over the whole grid.
#define REDUCE(label, name, sync)                                                     \
  label(4, 64, cooperative_reduce_##name) {                                           \
    a[thread_in_grid()] = 1;                                                          \
    sync;                                                                             \
    for (int half = 128; half > 0; half /= 2) {                                       \
      if (thread_in_grid() < half) a[thread_in_grid()] += a[thread_in_grid() + half]; \
      sync;                                                                           \
    }                                                                                 \
  }
REDUCE(RIGHT, grid, GRID)
REDUCE(RACY, block, __syncthreads())

// A stencil between two arrays that change places, and in place.
#define STENCIL(label, name, to, sync)          \
  label(4, 64, cooperative_stencil_##name) {    \
    int *from = a, *other = b;                  \
    const int i = thread_in_grid() + 1;         \
    for (int step = 0; step < 4; ++step) {      \
      to[i] = from[i - 1] + from[i + 1] + step; \
      sync;                                     \
      int *const before = from;                 \
      from = other;                             \
      other = before;                           \
    }                                           \
  }
STENCIL(RIGHT, two_arrays, other, GRID)
STENCIL(RACY, in_place, from, GRID)
STENCIL(RACY, block_barrier, other, __syncthreads())

// Steps of a search: the counter of the next list is read after the grid has met, and reset before it does.
#define STEPS(label, name, before_read, before_reset)                           \
  label(4, 64, cooperative_steps_##name) {                                      \
    for (int step = 0; step < 3; ++step) {                                      \
      if (thread_in_grid() % 3 == step) a[atomicAdd(c, 1)] = step;              \
      before_read;                                                              \
      const int count = c[0];                                                   \
      if (thread_in_grid() < count) b[thread_in_grid()] += a[thread_in_grid()]; \
      before_reset;                                                             \
      if (thread_in_grid() == 0) c[0] = 0;                                      \
      GRID;                                                                     \
    }                                                                           \
  }
STEPS(RIGHT, all, GRID, GRID)
STEPS(RACY, read_early, , GRID)
STEPS(RACY, reset_early, GRID, )

// In two steps, and by one half of the block.
#define IN_TWO_STEPS(label, name, early)             \
  label(4, 64, cooperative_in_two_steps_##name) {    \
    cg::grid_group grid = cg::this_grid();           \
    a[thread_in_grid()] = 1;                         \
    auto token = grid.barrier_arrive();              \
    early;                                           \
    grid.barrier_wait(std::move(token));             \
    b[thread_in_grid()] = a[255 - thread_in_grid()]; \
  }
IN_TWO_STEPS(RIGHT, own, c[thread_in_grid()] = 1)
IN_TWO_STEPS(RACY, early_read, c[thread_in_grid()] = a[255 - thread_in_grid()])
IN_TWO_STEPS(RACY, late_write, a[thread_in_grid()] = 2)

// Within a block the usual rules hold on.
RACY(4, 64, cooperative_shared_without_barrier) {
  __shared__ int words[64];
  words[threadIdx.x] = 1;
  a[thread_in_grid()] = words[63 - threadIdx.x];
  GRID;
}
RIGHT(4, 64, cooperative_shared_over_the_grid) {
  __shared__ int words[64];
  words[threadIdx.x] = 1;
  GRID;
  a[thread_in_grid()] = words[63 - threadIdx.x];
}

// Three of four blocks meet at a counter, once or twice; the fourth writes its words and meets them once or never.
__device__ inline void meet_three(int *counter, int round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(counter, 1);
    while (atomicAdd(counter, 0) < 3 * round) {
    }
    __threadfence();
  }
  __syncthreads();
}
#define THREE_MEET(label, name, from)                                    \
  label(4, 64, cooperative_three_meet_##name) {                          \
    a[thread_in_grid()] = 1;                                             \
    if (blockIdx.x == 3) return;                                         \
    meet_three(c, 1);                                                    \
    b[thread_in_grid()] = a[(blockIdx.x + 1) % from * 64 + threadIdx.x]; \
  }
THREE_MEET(RIGHT, and_read_their_own, 3)
THREE_MEET(RACY, and_read_the_fourths, 4)

#define THREE_MEET_AGAIN(label, name, late)           \
  label(4, 64, cooperative_three_meet_again_##name) { \
    a[thread_in_grid()] = 1;                          \
    GRID;                                             \
    if (blockIdx.x == 3) {                            \
      late;                                           \
      return;                                         \
    }                                                 \
    meet_three(c, 1);                                 \
    b[thread_in_grid()] = a[192 + threadIdx.x];       \
  }
THREE_MEET_AGAIN(RIGHT, after_all_have, )
THREE_MEET_AGAIN(RACY, while_the_fourth_writes, a[thread_in_grid()] = 2)
THREE_MEET_AGAIN(RACY, while_the_fourth_writes_theirs, b[threadIdx.x] = 2)
