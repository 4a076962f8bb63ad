// More kernels on graphs, with the mistakes that such codes have: no atomic, no guard, a loop too long, a
// flag that all write, a list that is read while it grows.
#include "labels.cuh"

#define VERTICES for (int v = thread_in_grid(); v < n; v += static_cast<int>(gridDim.x * blockDim.x))
#define NEIGHBOURS for (int e = row[v]; e < row[v + 1]; ++e)

// Levels of a search, a launch for each: a holds levels, c[0] says that something changed.
#define LEVEL(label, name, claim, tell)         \
  label(4, 64, level_##name) {                  \
    if (thread_in_grid() == 0) atomicMax(a, 1); \
    VERTICES if (v == 0) NEIGHBOURS {           \
      claim tell;                               \
    }                                           \
  }
LEVEL(RIGHT, one_source, if (atomicCAS(a + col[e], 0, 2) == 0), atomicAdd(c, 1))
#define FROM_ALL(label, name, body) \
  label(4, 64, from_all_##name) {   \
    VERTICES NEIGHBOURS body        \
  }
FROM_ALL(RIGHT, claim, {
  if (atomicCAS(a + col[e], 0, 1) == 0) atomicExch(c, 1);
})
FROM_ALL(RACY, claim_plain_flag, {
  if (atomicCAS(a + col[e], 0, v + 1) == 0) c[0] = v;
})
FROM_ALL(RACY, plain_levels, {
  if (a[col[e]] == 0) a[col[e]] = v + 1;
})
FROM_ALL(RACY, level_of_the_neighbour, {
  if (a[col[e]] < v)
    b[v] = 1;
  else
    a[v] = col[e];
})

// The next list: its end is an atomic, its words are written by the thread that has the number.
#define LIST(label, name, number, seen) \
  label(4, 64, list_##name) {           \
    VERTICES NEIGHBOURS if (seen) {     \
      const int at = number;            \
      if (at < 1024) b[at] = col[e];    \
    }                                   \
  }
LIST(RIGHT, claimed, atomicAdd(c, 1), atomicExch(a + col[e], 1) == 0)
LIST(RACY, seen_by_look, atomicAdd(c, 1), a[col[e]] == 0 && atomicExch(a + col[e], 1) == 0)
LIST(RACY, number_by_look, c[0]++, atomicExch(a + col[e], 1) == 0)
RACY(4, 64, list_of_block_with_one_end) {
  __shared__ int end;
  if (threadIdx.x == 0) end = 0;
  __syncthreads();
  VERTICES if (v % 3 == 0) b[atomicAdd(&end, 1)] = v;
}
RIGHT(4, 64, list_of_block_with_own_words) {
  __shared__ int end;
  if (threadIdx.x == 0) end = 0;
  __syncthreads();
  VERTICES if (v % 3 == 0) b[blockIdx.x * 64 + atomicAdd(&end, 1)] = v;
}
RACY(4, 64, list_of_block_end_not_ready) {
  __shared__ int end;
  if (threadIdx.x == 0) end = 0;
  VERTICES if (v % 3 == 0) b[blockIdx.x * 64 + atomicAdd(&end, 1) % 64] = v;
}
// A block requests a piece of the list, for all of its threads.
#define PIECE(label, name, first, second)                               \
  label(4, 64, piece_##name) {                                          \
    __shared__ int end, begin;                                          \
    if (threadIdx.x == 0) end = 0;                                      \
    __syncthreads();                                                    \
    const int at = thread_in_grid() % 3 == 0 ? atomicAdd(&end, 1) : -1; \
    first;                                                              \
    if (threadIdx.x == 0) begin = atomicAdd(c, end);                    \
    second;                                                             \
    if (at >= 0) b[begin + at] = thread_in_grid();                      \
  }
PIECE(RIGHT, both, __syncthreads(), __syncthreads())
PIECE(RACY, no_first, , __syncthreads())
PIECE(RACY, no_second, __syncthreads(), )

// Bounds: the last vertex has no end of its edges, a thread too many has no vertex.
#define BOUNDS(label, name, limit, at)                         \
  label(4, 64, bounds_##name) {                                \
    const int v = thread_in_grid();                            \
    if (limit) {                                               \
      const int last = min(row[v + 1], row[n]);                \
      for (int e = row[v]; e < last; ++e) atomicAdd(a + v, 1); \
      at += 1;                                                 \
    }                                                          \
  }
BOUNDS(RIGHT, guard, v < n, b[v])
BOUNDS(RIGHT, guard_too_wide_for_rows, v <= n, b[v])
BOUNDS(RACY, guard_too_wide, v <= n, b[v % n])
BOUNDS(RACY, guard_by_thread, threadIdx.x < 64 && v < n, b[threadIdx.x])

// Shortest paths with the way: length and parent must change together.
#define WITH_PARENT(label, name, set)                                           \
  label(4, 64, parent_##name) {                                                 \
    unsigned long long *const both = reinterpret_cast<unsigned long long *>(a); \
    (void)both;                                                                 \
    VERTICES NEIGHBOURS set;                                                    \
  }
WITH_PARENT(RIGHT, in_one_word, atomicMax(both + col[e], static_cast<unsigned long long>(e) << 32 | v))
WITH_PARENT(RACY, beside, {
  if (atomicMax(a + col[e], e) < e) b[col[e]] = v;
})
WITH_PARENT(RIGHT, beside_by_atomic, {
  if (atomicMax(a + col[e], e) < e) atomicExch(b + col[e], v);
})

// Independent sets: priorities are constant, a vertex goes in if it beats all; neighbours go out.
#define ROUND(label, name, look, in, out)                                                 \
  label(4, 64, round_##name) {                                                            \
    volatile int *const now = a;                                                          \
    (void)now;                                                                            \
    VERTICES {                                                                            \
      bool best = true;                                                                   \
      NEIGHBOURS if (look[col[e]] == 0 && col[e] * 37 % 101 > v * 37 % 101) best = false; \
      if (best) {                                                                         \
        in;                                                                               \
        NEIGHBOURS out;                                                                   \
      }                                                                                   \
    }                                                                                     \
  }
ROUND(RIGHT, to_another_array, a, b[v] = 1, atomicExch(c + col[e], 1))
ROUND(RIGHT, volatile_words, now, now[v] = 1, now[col[e]] = 2)
ROUND(RACY, in_place, a, a[v] = 1, a[col[e]] = 2)
ROUND(RACY, out_without_atomic, a, b[v] = 1, c[col[e]] = v)
ROUND(RACY, out_by_atomic_in_place, a, b[v] = 1, atomicExch(a + col[e], 2))

// Triangles: each thread counts for itself, a warp, a block, or for all.
#define COUNTED(label, name, body)                                                   \
  label(4, 64, counted_##name) {                                                     \
    __shared__ int of_block;                                                         \
    if (threadIdx.x == 0) of_block = 0;                                              \
    __syncthreads();                                                                 \
    (void)of_block;                                                                  \
    int mine = 0;                                                                    \
    VERTICES NEIGHBOURS for (int f = e + 1; f < row[v + 1]; ++f) mine += col[e] > v; \
    body;                                                                            \
  }
COUNTED(RIGHT, block, atomicAdd(&of_block, mine); __syncthreads();
        if (threadIdx.x == 0) atomicAdd(a, of_block))
COUNTED(RACY, block_plain, of_block += mine; __syncthreads(); if (threadIdx.x == 0) atomicAdd(a, of_block))
COUNTED(RACY, block_no_barrier, atomicAdd(&of_block, mine); if (threadIdx.x == 0) atomicAdd(a, of_block))
COUNTED(RACY, block_all_add_plain, atomicAdd(&of_block, mine); __syncthreads(); a[0] += of_block)
COUNTED(RIGHT, warp, {
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffff, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(a, mine);
})
COUNTED(RACY, warp_plain, {
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffff, mine, d);
  if (threadIdx.x % 32 == 0) a[blockIdx.x] += mine;
})

// Page rank by push needs atomics, by pull another array; the residual is a flag or a maximum.
#define RESIDUAL(label, name, tell)    \
  label(4, 64, residual_##name) {      \
    VERTICES {                         \
      int sum = 0;                     \
      NEIGHBOURS sum += a[col[e]] + 1; \
      b[v] = sum;                      \
      if (sum > 3) tell;               \
    }                                  \
  }
RESIDUAL(RIGHT, max, atomicMax(c, sum))
RESIDUAL(RACY, last_value, c[0] = sum)
RESIDUAL(RACY, max_by_look, if (c[0] < sum) c[0] = sum)
RESIDUAL(RACY, in_the_source, a[v] = sum)

// Components: hooks and jumps of pointers.
#define HOOK(label, name, body)               \
  label(4, 64, hook_##name) {                 \
    volatile int *const parent = a;           \
    (void)parent;                             \
    VERTICES NEIGHBOURS if (col[e] < v) body; \
  }
HOOK(RIGHT, atomic_min, atomicMin(a + v, -col[e]))
HOOK(RIGHT, volatile_store, parent[v] = col[e])
HOOK(RACY, root_of_the_neighbour, a[a[col[e]] % 128] = v)
HOOK(RACY, jump_in_place, a[v] = a[a[col[e]] % 128])
HOOK(RIGHT, jump_to_another, b[v] = a[a[col[e]] % 128])
HOOK(RACY, count_volatile, parent[512 + col[e]] = parent[512 + col[e]] + 1)
HOOK(RIGHT, count_atomic, atomicAdd(a + 512 + col[e], 1))
