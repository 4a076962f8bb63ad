// Summaries of a tree from its leaves to its root, with fewer threads than nodes: the lanes of a warp wait for words that
// other lanes of it store, and are often in different rounds.
#include "labels.cuh"

// Node i has the children 2 i + 1 and 2 i + 2; nodes from 255 on are leaves. The deepest nodes come first.
#define NODES                                                  \
  const int stride = static_cast<int>(gridDim.x * blockDim.x); \
  volatile int *const ready = a;                               \
  for (int k = thread_in_grid(), node = 254 - k; k < 255; k += stride, node -= stride)

// A thread stays at its node until both children are there.
#define STAY(label, blocks, threads, name, publish)                   \
  label(blocks, threads, summary_stays_##name) {                      \
    NODES {                                                           \
      int total = 1;                                                  \
      for (int child = 2 * node + 1; child < 2 * node + 3; ++child) { \
        if (child >= 255) {                                           \
          total += child;                                             \
          continue;                                                   \
        }                                                             \
        while (ready[child] == 0) __threadfence();                    \
        __threadfence();                                              \
        total += b[child];                                            \
      }                                                               \
      b[node] = total;                                                \
      publish;                                                        \
      ready[node] = 1;                                                \
    }                                                                 \
  }
STAY(RIGHT, 1, 32, one_warp, __threadfence())
STAY(RIGHT, 1, 96, warps, __threadfence())
STAY(RIGHT, 2, 64, blocks, __threadfence())
STAY(RACY, 2, 64, published_without_a_fence, )

// It looks at both, and comes back in another round of one loop if one is missing.
#define RETURN(label, blocks, threads, name, publish, meet)                             \
  label(blocks, threads, summary_returns_##name) {                                      \
    const int stride = static_cast<int>(gridDim.x * blockDim.x);                        \
    volatile int *const ready = a;                                                      \
    for (int k = thread_in_grid(); k < 255;) {                                          \
      const int node = 254 - k, child = 2 * node + 1;                                   \
      bool both = true;                                                                 \
      for (int i = child; i < child + 2 && both; ++i) both = i >= 255 || ready[i] != 0; \
      if (both) {                                                                       \
        __threadfence();                                                                \
        b[node] = child >= 255 ? 1 : b[child] + (child + 1 < 255 ? b[child + 1] : 1);   \
        publish;                                                                        \
        ready[node] = 1;                                                                \
        k += stride;                                                                    \
      }                                                                                 \
      meet;                                                                             \
    }                                                                                   \
  }
RETURN(RIGHT, 1, 32, one_warp, __threadfence(), )
RETURN(RIGHT, 2, 64, blocks, __threadfence(), )
RETURN(RIGHT, 2, 64, meeting, __threadfence(), __syncwarp(__activemask()))
RETURN(RACY, 2, 64, published_without_a_fence, , )

// A tree that is little more than a chain: each thread waits for its neighbour, hundreds of times.
#define CHAIN(label, blocks, threads, name, publish)                                         \
  label(blocks, threads, summary_of_a_chain_##name) {                                        \
    volatile int *const ready = a;                                                           \
    for (int k = thread_in_grid(); k < 960; k += static_cast<int>(gridDim.x * blockDim.x)) { \
      int total = 1;                                                                         \
      for (int child = k - 1; child >= 0 && child > k - 4; child -= 2) {                     \
        while (ready[child] == 0) __threadfence();                                           \
        __threadfence();                                                                     \
        total = max(total, b[child] + 1);                                                    \
      }                                                                                      \
      b[k] = total;                                                                          \
      publish;                                                                               \
      ready[k] = 1;                                                                          \
    }                                                                                        \
  }
CHAIN(RIGHT, 1, 96, warps, __threadfence())
CHAIN(RIGHT, 4, 64, blocks, __threadfence())
CHAIN(RACY, 4, 64, published_without_a_fence, )
