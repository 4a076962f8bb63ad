// Textbook algorithms on graphs, one step of each: by push and by pull, driven by all vertices or by a
// worklist, right and with the mistakes that such codes have.
#include <cuda/atomic>

#include "labels.cuh"

using Word = cuda::atomic<int, cuda::thread_scope_device>;
using WordOfBlock = cuda::atomic<int, cuda::thread_scope_block>;
using Ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
using RefOfBlock = cuda::atomic_ref<int, cuda::thread_scope_block>;
namespace order = cuda::std;

#define VERTICES for (int v = thread_in_grid(); v < n; v += static_cast<int>(gridDim.x * blockDim.x))
#define NEIGHBOURS for (int e = row[v]; e < row[v + 1]; ++e)
#define RELAXED order::memory_order_relaxed

// Breadth-first search. a[v]: level + 1, 0: not reached yet. c[0]: something changed.
#define BFS(label, name, look, update)                    \
  label(4, 64, bfs_push_##name) {                         \
    volatile int *const seen = a;                         \
    (void)seen;                                           \
    VERTICES {                                            \
      if (v == 0) atomicMax(a, 1);                        \
      const int level = look(v);                          \
      if (level != 0) NEIGHBOURS if (look(col[e]) == 0) { \
          update(col[e], level + 1);                      \
          c[64 + v] = 1;                                  \
        }                                                 \
    }                                                     \
  }
#define BY_PLAIN(i) a[i]
#define BY_VOLATILE(i) seen[i]
#define BY_ATOMIC(i) atomicAdd(a + (i), 0)
#define BY_REF(i) Ref(a[i]).load(RELAXED)
#define BY_BLOCK_REF(i) RefOfBlock(a[i]).load(RELAXED)
#define MAX_ATOMIC(i, x) atomicMax(a + (i), x)
#define MAX_OF_BLOCK(i, x) atomicMax_block(a + (i), x)
#define CAS_ATOMIC(i, x) atomicCAS(a + (i), 0, x)
#define STORE_PLAIN(i, x) a[i] = x
#define STORE_VOLATILE(i, x) seen[i] = x
#define STORE_REF(i, x) Ref(a[i]).store(x, RELAXED)
#define MAX_REF(i, x) Ref(a[i]).fetch_max(x, RELAXED)
#define MAX_BLOCK_REF(i, x) RefOfBlock(a[i]).fetch_max(x, RELAXED)
BFS(RIGHT, atomics, BY_ATOMIC, MAX_ATOMIC)
BFS(RIGHT, volatile_look, BY_VOLATILE, MAX_ATOMIC)
BFS(RIGHT, volatile_words, BY_VOLATILE, STORE_VOLATILE)
BFS(RIGHT, refs, BY_REF, MAX_REF)
BFS(RIGHT, ref_stores, BY_REF, STORE_REF)
BFS(RIGHT, swap, BY_VOLATILE, CAS_ATOMIC)
BFS(RACY, plain_look, BY_PLAIN, MAX_ATOMIC)
BFS(RACY, plain_look_ref, BY_PLAIN, MAX_REF)
BFS(RACY, plain_look_swap, BY_PLAIN, CAS_ATOMIC)
BFS(RACY, plain_look_volatile_store, BY_PLAIN, STORE_VOLATILE)
BFS(RACY, atomic_look_plain_store, BY_ATOMIC, STORE_PLAIN)
BFS(RACY, volatile_look_plain_store, BY_VOLATILE, STORE_PLAIN)
BFS(RACY, block_scope, BY_VOLATILE, MAX_OF_BLOCK)
BFS(RACY, block_refs, BY_BLOCK_REF, MAX_BLOCK_REF)
BFS(RACY, one_block_ref, BY_REF, MAX_BLOCK_REF)

// The same by pull: each vertex looks at its neighbours and writes its own word.
#define PULL(label, name, look, own)               \
  label(4, 64, bfs_pull_##name) {                  \
    volatile int *const seen = a;                  \
    (void)seen;                                    \
    VERTICES {                                     \
      int level = v == 0;                          \
      NEIGHBOURS level = max(level, look(col[e])); \
      own;                                         \
    }                                              \
  }
PULL(RIGHT, other_array, BY_PLAIN, b[v] = level + 1)
PULL(RIGHT, volatile_words, BY_VOLATILE, seen[v] = level + 1)
PULL(RIGHT, refs, BY_REF, STORE_REF(v, level + 1))
PULL(RIGHT, atomics, BY_ATOMIC, atomicMax(a + v, level + 1))
PULL(RACY, in_place, BY_PLAIN, a[v] = level + 1)
PULL(RACY, atomic_store_plain_look, BY_PLAIN, atomicMax(a + v, level + 1))
PULL(RACY, volatile_look, BY_VOLATILE, a[v] = level + 1)
PULL(RACY, ref_store_plain_look, BY_PLAIN, STORE_REF(v, level + 1))

// A worklist: b holds vertices, c[0] how many.
#define WORKLIST(label, name, slot, limit)                       \
  label(4, 64, worklist_##name) {                                \
    VERTICES NEIGHBOURS if (v < col[e] && col[e] % 2 != v % 2) { \
      const int at = slot;                                       \
      if (at < limit) b[at % 1024] = col[e];                     \
    }                                                            \
  }
WORKLIST(RIGHT, counter, atomicAdd(c, 1), 1024)
WORKLIST(RIGHT, counter_ref, Ref(c[0]).fetch_add(1, RELAXED), 1024)
WORKLIST(RACY, counter_of_block, atomicAdd_block(c, 1), 1024)
WORKLIST(RACY, counter_ref_of_block, RefOfBlock(c[0]).fetch_add(1, RELAXED), 1024)
WORKLIST(RACY, plain_counter, c[0]++, 1024)
WORKLIST(RACY, same_slot, 0, 1024)
WORKLIST(RACY, second_counter_plain, (atomicAdd(c, 1), c[1]++), 4096)

// Whoever takes a slot also reads the slot before, which another thread may be filling.
RACY(4, 64, worklist_read_while_filled) {
  VERTICES {
    const int at = atomicAdd(c, 1);
    b[at] = v;
    if (at > 0) atomicAdd(a, b[at - 1]);
  }
}

// Connected components: labels spread along edges; a is the label's negative, so that 0 is the start.
#define COMPONENTS(label, name, look, update)                           \
  label(4, 64, components_##name) {                                     \
    volatile int *const seen = a;                                       \
    (void)seen;                                                         \
    VERTICES NEIGHBOURS {                                               \
      const int mine = look(v), other = look(col[e]);                   \
      if (mine + v > other + col[e]) update(col[e], mine + v - col[e]); \
    }                                                                   \
  }
COMPONENTS(RIGHT, atomics, BY_ATOMIC, MAX_ATOMIC)
COMPONENTS(RIGHT, volatile_look, BY_VOLATILE, MAX_ATOMIC)
COMPONENTS(RIGHT, refs, BY_REF, MAX_REF)
COMPONENTS(RACY, plain_look, BY_PLAIN, MAX_ATOMIC)
COMPONENTS(RACY, plain_words, BY_PLAIN, STORE_PLAIN)
COMPONENTS(RACY, block_scope, BY_VOLATILE, MAX_OF_BLOCK)

// Paths to the root are halved on the way.
#define FIND(label, name, look, shorten)      \
  label(4, 64, find_root_##name) {            \
    volatile int *const seen = a;             \
    (void)seen;                               \
    VERTICES {                                \
      if (v > 0) atomicMax(a + v, v);         \
      int at = v;                             \
      for (int step = 0; step < 16; ++step) { \
        const int up = look(at);              \
        if (up == 0) break;                   \
        const int next = look(up - 1);        \
        if (next != 0) shorten(at, next);     \
        at = up - 1;                          \
      }                                       \
      b[v] = at;                              \
    }                                         \
  }
FIND(RIGHT, volatile_words, BY_VOLATILE, STORE_VOLATILE)
FIND(RIGHT, atomics, BY_ATOMIC, MAX_ATOMIC)
FIND(RACY, plain_look, BY_PLAIN, MAX_ATOMIC)
FIND(RACY, plain_words, BY_PLAIN, STORE_PLAIN)
FIND(RACY, volatile_look_plain_store, BY_VOLATILE, STORE_PLAIN)

// Maximal independent set. a[v]: 0 undecided, 1 in, 2 out.
#define INDEPENDENT(label, name, look, store)                               \
  label(4, 64, independent_set_##name) {                                    \
    volatile int *const seen = a;                                           \
    (void)seen;                                                             \
    VERTICES {                                                              \
      if (look(v) != 0) continue;                                           \
      bool best = true;                                                     \
      NEIGHBOURS if (look(col[e]) != 2 && col[e] % 7 > v % 7) best = false; \
      if (!best) continue;                                                  \
      store(v, 1);                                                          \
      NEIGHBOURS store(col[e], 2);                                          \
    }                                                                       \
  }
INDEPENDENT(RIGHT, volatile_words, BY_VOLATILE, STORE_VOLATILE)
INDEPENDENT(RIGHT, refs, BY_REF, STORE_REF)
INDEPENDENT(RIGHT, atomics, BY_ATOMIC, MAX_ATOMIC)
INDEPENDENT(RACY, plain_words, BY_PLAIN, STORE_PLAIN)
INDEPENDENT(RACY, plain_look, BY_PLAIN, STORE_VOLATILE)
INDEPENDENT(RACY, plain_store, BY_VOLATILE, STORE_PLAIN)
RIGHT(4, 64, independent_set_own_words) {  // decisions go to another array
  VERTICES {
    bool best = true;
    NEIGHBOURS if (a[col[e]] + col[e] % 7 > a[v] + v % 7) best = false;
    b[v] = best;
  }
}

// Page rank: push adds to the neighbours' words, pull sums up theirs.
#define RANK reinterpret_cast<float *>(a)
#define NEXT reinterpret_cast<float *>(b)
RIGHT(4, 64, rank_push) {
  VERTICES NEIGHBOURS atomicAdd(NEXT + col[e], (RANK[v] + 1) / static_cast<float>(row[v + 1] - row[v]));
}
RACY(4, 64, rank_push_plain) {
  VERTICES NEIGHBOURS NEXT[col[e]] += (RANK[v] + 1) / static_cast<float>(row[v + 1] - row[v]);
}
RACY(4, 64, rank_push_in_place) {
  VERTICES NEIGHBOURS atomicAdd(RANK + col[e], (RANK[v] + 1) / static_cast<float>(row[v + 1] - row[v]));
}
RIGHT(4, 64, rank_pull) {
  VERTICES {
    float sum = 0;
    NEIGHBOURS sum += RANK[col[e]];
    NEXT[v] = sum;
  }
}
RACY(4, 64, rank_pull_in_place) {
  VERTICES {
    float sum = 1;
    NEIGHBOURS sum += RANK[col[e]];
    RANK[v] = sum;
  }
}
// The change is summed up in the block, then by one atomic.
#define RANK_ERROR(label, name, before, after)  \
  label(4, 64, rank_error_##name) {             \
    __shared__ float sum;                       \
    if (threadIdx.x == 0) sum = 0;              \
    before;                                     \
    VERTICES atomicAdd(&sum, RANK[v] + 1);      \
    after;                                      \
    if (threadIdx.x == 0) atomicAdd(NEXT, sum); \
  }
RANK_ERROR(RIGHT, barriers, __syncthreads(), __syncthreads())
RANK_ERROR(RACY, no_first_barrier, , __syncthreads())
RANK_ERROR(RACY, no_second_barrier, __syncthreads(), )

// Shortest paths: the edge's weight is 1 + e % 5; distances grow downwards from 0.
#define SHORTEST(label, name, look, update)                \
  label(4, 64, shortest_paths_##name) {                    \
    volatile int *const seen = a;                          \
    (void)seen;                                            \
    VERTICES {                                             \
      if (v == 0) MAX_ATOMIC(0, 1000);                     \
      const int mine = look(v);                            \
      if (mine > 0) NEIGHBOURS {                           \
          const int reach = mine - 1 - e % 5;              \
          if (look(col[e]) < reach) update(col[e], reach); \
        }                                                  \
    }                                                      \
  }
SHORTEST(RIGHT, atomics, BY_ATOMIC, MAX_ATOMIC)
SHORTEST(RIGHT, volatile_look, BY_VOLATILE, MAX_ATOMIC)
SHORTEST(RIGHT, refs, BY_REF, MAX_REF)
SHORTEST(RACY, plain_look, BY_PLAIN, MAX_ATOMIC)
SHORTEST(RACY, plain_words, BY_PLAIN, STORE_PLAIN)
SHORTEST(RACY, volatile_look_plain_store, BY_VOLATILE, STORE_PLAIN)
SHORTEST(RACY, block_refs, BY_BLOCK_REF, MAX_BLOCK_REF)

// Triangles: each thread counts, the counts meet in one word.
#define TRIANGLES(label, name, add)                                            \
  label(4, 64, triangles_##name) {                                             \
    VERTICES {                                                                 \
      int count = 0;                                                           \
      NEIGHBOURS for (int f = e + 1; f < row[v + 1]; ++f) count += v < col[e]; \
      add;                                                                     \
    }                                                                          \
  }
TRIANGLES(RIGHT, atomic, atomicAdd(a, count))
TRIANGLES(RIGHT, own_words, a[v] = count)
TRIANGLES(RIGHT, ref, Ref(a[0]).fetch_add(count, RELAXED))
TRIANGLES(RACY, plain, a[0] += count)
TRIANGLES(RACY, block_scope, atomicAdd_block(a, count))
TRIANGLES(RACY, block_ref, RefOfBlock(a[0]).fetch_add(count, RELAXED))
TRIANGLES(RACY, result_read, (atomicAdd(a, count), b[v] = a[0]))

// Words of cuda::atomic in place of plain ones: memory is theirs.
#define TYPED(label, name, Type, look)                                     \
  label(4, 64, typed_##name) {                                             \
    Type *const words = reinterpret_cast<Type *>(a);                       \
    VERTICES NEIGHBOURS if (look < v) words[col[e]].fetch_max(v, RELAXED); \
  }
TYPED(RIGHT, device, Word, words[col[e]].load(RELAXED))
TYPED(RACY, block, WordOfBlock, words[col[e]].load(RELAXED))
TYPED(RACY, plain_look, Word, a[col[e]])

// Bounds: one edge or vertex too many is read, and the race remains.
RACY(4, 64, bounds_of_edges) {
  for (int v = thread_in_grid(); v <= n; v += static_cast<int>(gridDim.x * blockDim.x))
    NEIGHBOURS if (a[col[e] & 127] < v) a[col[e] & 127] = v;
}
RACY(4, 64, bounds_of_vertices) {
  for (int v = thread_in_grid(); v < 2 * n; v += static_cast<int>(gridDim.x * blockDim.x)) {
    const int end = row[v + 1] & 1023;
    for (int e = row[v] & 1023; e < end; ++e) a[col[e] & 127] += 1;
  }
}
RACY(4, 64, bounds_first) {
  b[1024 + thread_in_grid()] = 1;
  VERTICES NEIGHBOURS a[col[e]] = v;
}

// A vertex for each warp: lanes take edges, the result goes through shuffles, or shared memory.
#define WARP_SUM(label, name, body)                                                                  \
  label(4, 64, warp_sum_##name) {                                                                    \
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);  \
    __shared__ volatile int part[2][32];                                                             \
    (void)part, (void)warp;                                                                          \
    for (int v = thread_in_grid() / 32; v < n; v += static_cast<int>(gridDim.x * blockDim.x / 32)) { \
      int sum = 0;                                                                                   \
      for (int e = row[v] + lane; e < row[v + 1]; e += 32) sum += col[e];                            \
      body;                                                                                          \
    }                                                                                                \
  }
WARP_SUM(RIGHT, shuffles, {
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
  if (lane == 0) b[v] = sum;
})
WARP_SUM(RIGHT, atomics, atomicAdd(b + v, sum))
WARP_SUM(RACY, all_lanes_store, b[v] = sum)
WARP_SUM(RIGHT, shared, {
  part[warp][lane] = sum;
  __syncwarp();
  if (lane == 0) {
    for (int i = 1; i < 32; ++i) sum += part[warp][i];
    b[v] = sum;
  }
  __syncwarp();
})
// A vertex for each block.
#define BLOCK_SUM(label, name, first, last)                                                        \
  label(4, 64, block_sum_##name) {                                                                 \
    __shared__ int part[64];                                                                       \
    for (int v = static_cast<int>(blockIdx.x); v < n; v += static_cast<int>(gridDim.x)) {          \
      int sum = 0;                                                                                 \
      for (int e = row[v] + static_cast<int>(threadIdx.x); e < row[v + 1]; e += 64) sum += col[e]; \
      part[threadIdx.x] = sum;                                                                     \
      first;                                                                                       \
      if (threadIdx.x == 0) {                                                                      \
        for (int i = 1; i < 64; ++i) sum += part[i];                                               \
        b[v] = sum;                                                                                \
      }                                                                                            \
      last;                                                                                        \
    }                                                                                              \
  }
BLOCK_SUM(RIGHT, two_barriers, __syncthreads(), __syncthreads())
BLOCK_SUM(RACY, no_first_barrier, , __syncthreads())
BLOCK_SUM(RACY, no_last_barrier, __syncthreads(), )
