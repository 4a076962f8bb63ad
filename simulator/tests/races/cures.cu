// Races, each with the name of what helps against it, and its twin without one: "cure_NAME__program".
#include "labels.cuh"

// A count at an index from memory, and a sum in one word.
RACY(4, 64, cure_atomic_update__histogram) {
  a[col[thread_in_grid()] & 7]++;
}
RIGHT(4, 64, cured_histogram) {
  atomicAdd(&a[col[thread_in_grid()] & 7], 1);
}
RACY(1, 64, cure_atomic_update__histogram_in_shared_memory) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[col[threadIdx.x] & 7]++;
  __syncthreads();
  if (threadIdx.x < 8) a[threadIdx.x] = bins[threadIdx.x];
}
RACY(4, 32, cure_atomic_update__sum) {
  if (threadIdx.x == 0) a[0] += static_cast<int>(blockIdx.x);
}

// Blocks of 32 threads, 16 elements apart; 256 threads that do what 32 should.
RACY(4, 32, cure_same_element__stride) {
  const int i = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  a[i] = 2 * a[i] + static_cast<int>(blockIdx.x);
}
RIGHT(4, 32, cured_stride) {
  const int i = thread_in_grid();
  a[i] = 2 * a[i] + static_cast<int>(blockIdx.x);
}
RACY(1, 256, cure_same_element__eight_warps) {
  const int i = static_cast<int>(threadIdx.x & 31);
  a[i] = 2 * a[i] + 1;
}

RACY(1, 256, cure_barrier__reversed) {
  __shared__ int words[256];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  c[threadIdx.x] = words[255 - threadIdx.x];
}
RIGHT(1, 256, cured_reversed) {
  __shared__ int words[256];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  c[threadIdx.x] = words[255 - threadIdx.x];
}
RACY(4, 64, cure_between_blocks__neighbour) {
  const int i = thread_in_grid();
  a[i] = i;
  b[i] = a[(i + 64) & 255];
}
RACY(4, 64, cure_scatter__places) {
  if (threadIdx.x % 32 == 0) a[col[thread_in_grid()] & 1] = thread_in_grid();
}
RACY(4, 64, cure_one_word__last) {
  if (threadIdx.x % 32 == 0) a[0] = thread_in_grid();
}

// A lock without any fence.
#define TALLY(label, name, fence)         \
  label(8, 32, name) {                    \
    if (threadIdx.x != 0) return;         \
    while (atomicCAS(&b[0], 0, 1) != 0) { \
    }                                     \
    fence;                                \
    const int seen = a[0];                \
    a[0] = seen + 1;                      \
    fence;                                \
    atomicExch(&b[0], 0);                 \
  }
TALLY(RACY, cure_lock_fences__tally, )
TALLY(RIGHT, cured_tally, __threadfence())

// One level of a search: all that write store one value. In the second, a reader may see either of two.
#define LEVEL(name, value)                                \
  RACY(2, 64, name) {                                     \
    const int v = thread_in_grid();                       \
    if (v < 2) a[v] = n;                                  \
    for (int e = row[v]; e < row[v + 1]; ++e)             \
      if (a[v] == 0 && a[col[e]] == 0) a[col[e]] = value; \
  }
#define LEVEL_ALONE(name, value)                          \
  RACY(2, 64, name) {                                     \
    const int v = thread_in_grid();                       \
    for (int e = row[v]; e < row[v + 1]; ++e)             \
      if (a[v] == 0 && a[col[e]] == 0) a[col[e]] = value; \
  }
LEVEL_ALONE(cure_same_new_value__level, n + 1)
LEVEL_ALONE(levels_of_two_values, (e & 1) + 1)
LEVEL(levels_beside_a_start, n + 1)

RACY(4, 64, cure_look_before_swap__maximum) {
  int seen = a[0];
  const int mine = thread_in_grid();
  while (seen < mine) {
    const int before = atomicCAS(&a[0], seen, mine);
    if (before == seen) break;
    seen = before;
  }
}
