// Plain accesses beside atomics, in global and in shared memory, and the same with atomics alone.
#include "labels.cuh"

// A guard: a plain look at a word before an atomic on it. The word of the neighbour block is met as well.
#define GUARD(name, condition, update)                      \
  RACY(4, 32, guard_##name) {                               \
    const int i = thread_in_grid(), x = i + 1;              \
    int *const at = a + i % 16;                             \
    if (condition) update;                                  \
  }                                                         \
  RIGHT(4, 32, no_guard_##name) {                           \
    const int i = thread_in_grid(), x = i + 1;              \
    int *const at = a + i % 16;                             \
    update;                                                 \
  }                                                         \
  RACY(1, 64, shared_guard_##name) {                        \
    __shared__ int words[16];                               \
    const int i = static_cast<int>(threadIdx.x), x = i + 1; \
    if (i < 16) words[i] = 0;                               \
    __syncthreads();                                        \
    int *const at = words + i % 16;                         \
    if (condition) update;                                  \
    __syncthreads();                                        \
    if (i < 16) b[i] = words[i];                            \
  }                                                         \
  RIGHT(1, 64, shared_no_guard_##name) {                    \
    __shared__ int words[16];                               \
    const int i = static_cast<int>(threadIdx.x), x = i + 1; \
    if (i < 16) words[i] = 0;                               \
    __syncthreads();                                        \
    int *const at = words + i % 16;                         \
    update;                                                 \
    __syncthreads();                                        \
    if (i < 16) b[i] = words[i];                            \
  }
GUARD(max, *at < x, atomicMax(at, x))
__device__ int most_of_all;
RACY(4, 32, variable_guard_max) {
  const int x = thread_in_grid();
  if (most_of_all < x) atomicMax(&most_of_all, x);
}
GUARD(min, *at > -x, atomicMin(at, -x))
GUARD(add, *at < 1000, atomicAdd(at, x))
GUARD(or, (*at & x) != x, atomicOr(at, x))
GUARD(exch, *at != x, atomicExch(at, x))
GUARD(cas, *at == 0, atomicCAS(at, 0, x))

// The result of atomics, read plainly while others may still be at it.
RACY(2, 64, sum_read_at_once) {
  atomicAdd(a, 1);
  b[thread_in_grid()] = a[0];
}
RIGHT(2, 64, sum_read_by_atomic) {
  atomicAdd(a, 1);
  b[thread_in_grid()] = atomicAdd(a, 0);
}
RACY(1, 64, sum_read_without_barrier) {
  atomicAdd(a, 1);
  b[threadIdx.x] = a[0];
}
RIGHT(1, 64, sum_read_after_barrier) {
  atomicAdd(a, 1);
  __syncthreads();
  b[threadIdx.x] = a[0];
}
RACY(2, 32, barrier_is_not_for_blocks) {
  atomicAdd(a, 1);
  __syncthreads();
  b[thread_in_grid()] = a[0];
}
RACY(4, 32, plain_reset_beside_atomics) {
  if (thread_in_grid() == 0) a[0] = 0;
  atomicAdd(a, 1);
}
RIGHT(4, 32, atomic_reset_beside_atomics) {
  if (thread_in_grid() == 0) atomicExch(a, 0);
  atomicAdd(a, 1);
}
RACY(2, 32, plain_increment) {
  a[threadIdx.x] += 1;
}
RIGHT(2, 32, atomic_increment) {
  atomicAdd(a + threadIdx.x, 1);
}
RACY(2, 32, plain_and_atomic_increment) {
  if (blockIdx.x == 0)
    a[threadIdx.x] += 1;
  else
    atomicAdd(a + threadIdx.x, 1);
}
RIGHT(2, 32, plain_and_atomic_elsewhere) {
  if (blockIdx.x == 0)
    a[threadIdx.x] += 1;
  else
    atomicAdd(a + 32 + threadIdx.x, 1);
}
RACY(1, 64, plain_then_atomic_no_barrier) {
  if (threadIdx.x == 0) a[0] = 5;
  atomicAdd(a, 1);
}
RIGHT(1, 64, plain_then_atomic_barrier) {
  if (threadIdx.x == 0) a[0] = 5;
  __syncthreads();
  atomicAdd(a, 1);
}
RIGHT(2, 32, atomic_result_is_the_own_index) {
  b[atomicAdd(a, 1)] = thread_in_grid();
}
RACY(2, 32, plain_counter_as_index) {
  const int at = a[0];
  a[0] = at + 1;
  b[at] = thread_in_grid();
}
RACY(2, 32, float_sum_plain_beside_atomic) {
  float *const sum = reinterpret_cast<float *>(a);
  if (threadIdx.x == 0) atomicAdd(sum, 1.0f);
  if (*sum > 100.0f) b[thread_in_grid()] = 1;
}
RIGHT(2, 32, float_sum_atomic) {
  atomicAdd(reinterpret_cast<float *>(a), 1.0f);
}

// Lanes of one warp.
RACY(1, 32, lanes_pass_a_word_on) {
  a[threadIdx.x] = static_cast<int>(threadIdx.x);
  b[threadIdx.x] = a[threadIdx.x ^ 1];
}
RIGHT(1, 32, lanes_pass_a_word_on_synced) {
  a[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  b[threadIdx.x] = a[threadIdx.x ^ 1];
}
RACY(1, 32, lanes_add_to_one_word) {
  a[0] += 1;
}
RIGHT(1, 32, lanes_add_by_atomic) {
  atomicAdd(a, 1);
}
RACY(1, 32, lanes_shift_in_place) {
  if (threadIdx.x < 31) a[threadIdx.x] = a[threadIdx.x + 1] + 1;
}
RIGHT(1, 32, lanes_shift_out_of_place) {
  if (threadIdx.x < 31) b[threadIdx.x] = a[threadIdx.x + 1] + 1;
}
RACY(1, 32, lanes_guard) {
  if (a[0] < static_cast<int>(threadIdx.x)) atomicMax(a, static_cast<int>(threadIdx.x));
}

// Barriers.
#define TREE(label, name, sync)                                              \
  label(1, 128, name) {                                                      \
    __shared__ int part[128];                                                \
    part[threadIdx.x] = static_cast<int>(threadIdx.x);                       \
    __syncthreads();                                                         \
    for (unsigned half = 64; half > 0; half /= 2) {                          \
      if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half]; \
      sync;                                                                  \
    }                                                                        \
    if (threadIdx.x == 0) a[0] = part[0];                                    \
  }
TREE(RIGHT, tree_with_barriers, __syncthreads())
TREE(RACY, tree_without_barriers, )
TREE(RACY, tree_with_syncwarp, __syncwarp())
#define GLOBAL_TREE(label, name, sync)                                 \
  label(1, 128, name) {                                                \
    a[threadIdx.x] = static_cast<int>(threadIdx.x);                    \
    __syncthreads();                                                   \
    for (unsigned half = 64; half > 0; half /= 2) {                    \
      if (threadIdx.x < half) a[threadIdx.x] += a[threadIdx.x + half]; \
      sync;                                                            \
    }                                                                  \
  }
GLOBAL_TREE(RIGHT, global_tree_with_barriers, __syncthreads())
GLOBAL_TREE(RACY, global_tree_without_barriers, )

// After an access that is out of bounds, which is reported and dropped, the race is still found.
RACY(2, 32, beyond_the_end_and_a_race) {
  b[1024 + thread_in_grid()] = 1;
  a[threadIdx.x] += 1;
}
RIGHT(2, 32, beyond_the_end_alone) {
  b[1024 + thread_in_grid()] = 1;
  a[thread_in_grid()] += 1;
}
RACY(2, 32, reads_beyond_the_end_and_a_race) {
  if (b[1024 + thread_in_grid()] == 0) a[threadIdx.x] += 1;
}
