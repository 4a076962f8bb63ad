// Kernels on graphs: what is counted, spread or collected over edges, right and with the usual mistakes.
#include "labels.cuh"

// A thread for each vertex, or a warp.
#define VERTICES_BY_THREAD for (int v = thread_in_grid(), lane = 0, lanes = 1; v < n; v += n)
#define VERTICES_BY_WARP                                                                            \
  for (int v = thread_in_grid() / 32, lane = static_cast<int>(threadIdx.x % 32), lanes = 32; v < n; \
       v += static_cast<int>(gridDim.x * blockDim.x) / 32)
#define EDGES for (int e = row[v] + lane; e < row[v + 1]; e += lanes)
#define BOTH(label, name, body)                                                          \
  label(4, 32, name##_by_thread){VERTICES_BY_THREAD body} label(4, 64, name##_by_warp) { \
    VERTICES_BY_WARP body                                                                \
  }

BOTH(RIGHT, count_edges, { EDGES if (v < col[e]) atomicAdd(a, 1); })
BOTH(RACY, count_edges_plain, { EDGES if (v < col[e]) a[0] += 1; })

BOTH(RIGHT, push_max, { EDGES atomicMax(a + col[e], v); })
BOTH(RACY, push_max_guard, { EDGES if (a[col[e]] < v) atomicMax(a + col[e], v); })
BOTH(RACY, push_max_plain, { EDGES if (a[col[e]] < v) a[col[e]] = v; })

BOTH(RIGHT, worklist, { EDGES if (col[e] > v) b[atomicAdd(a, 1) % 1024] = atomicAdd(c, 0); })
BOTH(RACY, worklist_plain, {
  EDGES if (col[e] > v) {
    const int at = a[0];
    a[0] = at + 1;
    b[at % 1024] = v;
  }
})

BOTH(RIGHT, labels_min, { EDGES atomicMin(a + v, atomicAdd(a + col[e], 0) - 1); })
BOTH(RACY, labels_min_plain_read, { EDGES atomicMin(a + v, a[col[e]] - 1); })

BOTH(RIGHT, in_degree, { EDGES atomicAdd(a + col[e], 1); })
BOTH(RACY, in_degree_plain, { EDGES a[col[e]] += 1; })

BOTH(RIGHT, claim_by_cas, { EDGES if (atomicCAS(a + col[e], 0, v + 1) == 0) atomicAdd(b + v, 1); })
BOTH(RACY, claim_by_look, {
  EDGES if (a[col[e]] == 0) {
    a[col[e]] = v + 1;
    atomicAdd(b + v, 1);
  }
})
BOTH(RACY, claim_by_look_and_cas, { EDGES if (a[col[e]] == 0) atomicCAS(a + col[e], 0, v + 1); })

// From the neighbours' words into one's own: the words of before in one array, those of after in another.
RIGHT(4, 32, pull_two_arrays) {
  VERTICES_BY_THREAD {
    int most = 0;
    EDGES most = max(most, a[col[e]]);
    b[v] = most + 1;
  }
}
RACY(4, 32, pull_one_array) {
  VERTICES_BY_THREAD {
    int most = 0;
    EDGES most = max(most, a[col[e]]);
    a[v] = most + v + 1;
  }
}
RIGHT(4, 32, bfs_level) {
  VERTICES_BY_THREAD {
    if (v == 0) EDGES if (atomicCAS(a + col[e], 0, 1) == 0) atomicAdd(b, 1);
  }
}
RACY(4, 32, bfs_level_in_place) {
  VERTICES_BY_THREAD {
    if (v == 0) a[v] = 1;
    if (a[v] != 0) EDGES a[col[e]] = a[v] + 1;
  }
}
// Triangles that a vertex begins, added up in a block first.
#define TRIANGLES(label, name, sync)                                                          \
  label(4, 64, name) {                                                                        \
    __shared__ int of_block;                                                                  \
    if (threadIdx.x == 0) of_block = 0;                                                       \
    sync;                                                                                     \
    VERTICES_BY_THREAD {                                                                      \
      EDGES for (int f = e + 1; f < row[v + 1]; ++f) if (col[e] > v) atomicAdd(&of_block, 1); \
    }                                                                                         \
    __syncthreads();                                                                          \
    if (threadIdx.x == 0) atomicAdd(a, of_block);                                             \
  }
TRIANGLES(RIGHT, triangles, __syncthreads())
TRIANGLES(RACY, triangles_without_barrier, )
// Union-find: the plain walk meets the atomics of others.
RACY(4, 32, union_find_plain_walk) {
  VERTICES_BY_THREAD {
    EDGES {
      int root = col[e];
      for (int step = 0; step < 8 && a[root] != 0; ++step) root = a[root] - 1;
      if (root != v) atomicCAS(a + root, 0, min(root, v) + 1);
    }
  }
}
RIGHT(4, 32, union_find_volatile_walk) {
  volatile int *const parent = a;
  VERTICES_BY_THREAD {
    EDGES {
      int root = col[e];
      for (int step = 0; step < 8 && parent[root] != 0; ++step) root = parent[root] - 1;
      if (root != v) atomicCAS(a + root, 0, min(root, v) + 1);
    }
  }
}
RIGHT(4, 32, distances_volatile_look) {
  volatile int *const distance = a;
  VERTICES_BY_THREAD {
    EDGES if (distance[col[e]] < v) {
      atomicMax(a + col[e], v);
      b[atomicAdd(c, 1) % 1024] = 0;
    }
  }
}
