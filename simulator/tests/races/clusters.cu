// Kernels in clusters of two blocks, as all kernels whose names begin so: accesses to the shared memory of
// the other block are ordered by cluster.sync() and by mbarriers, and the other block has to be there.
#include <cooperative_groups.h>

#include <cuda/ptx>

#include "labels.cuh"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define SYNC cg::this_cluster().sync()
#define OTHER(words) cg::this_cluster().map_shared_rank(words, cg::this_cluster().block_rank() ^ 1)
#define RANK cg::this_cluster().block_rank()

// Each block reads the words of the other one.
#define READ_OTHER(label, name, first, last)         \
  label(4, 64, cluster_read_other_##name) {          \
    __shared__ int words[64];                        \
    words[threadIdx.x] = thread_in_grid();           \
    first;                                           \
    a[thread_in_grid()] = OTHER(words)[threadIdx.x]; \
    last;                                            \
  }
READ_OTHER(RIGHT, both, SYNC, SYNC)
READ_OTHER(RACY, no_first, , SYNC)
READ_OTHER(RACY, no_last, SYNC, )
READ_OTHER(RACY, barrier_of_the_block_first, __syncthreads(), SYNC)
READ_OTHER(RACY, barrier_of_the_block_last, SYNC, __syncthreads())

// Each block writes words of the other one, which reads them.
#define WRITE_OTHER(label, name, between)              \
  label(4, 64, cluster_write_other_##name) {           \
    __shared__ int words[64];                          \
    SYNC;                                              \
    OTHER(words)[63 - threadIdx.x] = thread_in_grid(); \
    between;                                           \
    a[thread_in_grid()] = words[threadIdx.x];          \
    SYNC;                                              \
  }
WRITE_OTHER(RIGHT, sync, SYNC)
WRITE_OTHER(RACY, no_sync, )
WRITE_OTHER(RACY, barrier_of_the_block, __syncthreads())
WRITE_OTHER(RACY, fence, __threadfence())

// One block reads the words of the other.
#define ONE_SIDE(label, name, last)                                 \
  label(4, 64, cluster_one_side_##name) {                           \
    __shared__ int words[64];                                       \
    words[threadIdx.x] = 1;                                         \
    SYNC;                                                           \
    if (RANK == 0) a[thread_in_grid()] = OTHER(words)[threadIdx.x]; \
    last;                                                           \
  }
ONE_SIDE(RIGHT, last, SYNC)
ONE_SIDE(RACY, no_last, )

// The next step overwrites what the other block may still read.
#define STEPS(label, name, second)                  \
  label(4, 64, cluster_steps_##name) {              \
    __shared__ int words[64];                       \
    int sum = 0;                                    \
    for (int step = 0; step < 3; ++step) {          \
      words[threadIdx.x] = step + thread_in_grid(); \
      SYNC;                                         \
      sum += OTHER(words)[63 - threadIdx.x];        \
      second;                                       \
    }                                               \
    a[thread_in_grid()] = sum;                      \
    SYNC;                                           \
  }
STEPS(RIGHT, two_syncs, SYNC)
STEPS(RACY, one_sync, )
STEPS(RACY, one_of_the_block, __syncthreads())

// Two buffers need one barrier for each step.
RIGHT(4, 64, cluster_two_buffers) {
  __shared__ int words[2][64];
  int sum = 0;
  for (int step = 0; step < 4; ++step) {
    words[step % 2][threadIdx.x] = step + thread_in_grid();
    SYNC;
    sum += OTHER(words[step % 2])[63 - threadIdx.x];
  }
  a[thread_in_grid()] = sum;
  SYNC;
}

// In two steps: what comes between them is ordered with neither side.
#define IN_TWO_STEPS(label, name, early)                  \
  label(4, 64, cluster_in_two_steps_##name) {             \
    __shared__ int words[64], more[64];                   \
    cg::cluster_group cluster = cg::this_cluster();       \
    words[threadIdx.x] = 1;                               \
    more[threadIdx.x] = 1;                                \
    cluster.sync();                                       \
    auto token = cluster.barrier_arrive();                \
    early;                                                \
    cluster.barrier_wait(std::move(token));               \
    a[thread_in_grid()] = OTHER(words)[63 - threadIdx.x]; \
    SYNC;                                                 \
  }
IN_TWO_STEPS(RIGHT, others, a[thread_in_grid()] = OTHER(more)[threadIdx.x])
IN_TWO_STEPS(RACY, late_write, words[threadIdx.x] = 1 + more[threadIdx.x])

// Counters in the memory of block 0.
#define COUNT(label, name, add)                                        \
  label(4, 64, cluster_count_##name) {                                 \
    __shared__ int count;                                              \
    if (threadIdx.x == 0) count = 0;                                   \
    SYNC;                                                              \
    int *const there = cg::this_cluster().map_shared_rank(&count, 0u); \
    add;                                                               \
    SYNC;                                                              \
    if (threadIdx.x == 0 && RANK == 0) a[blockIdx.x] = count;          \
  }
COUNT(RIGHT, atomic, atomicAdd(there, 1))
COUNT(RACY, plain, *there += 1)
COUNT(RACY, plain_beside_atomic, if (RANK == 0) count = 5; else atomicAdd(there, 1))

// Words in global memory are ordered too.
#define GLOBAL(label, name, sync)                    \
  label(2, 64, cluster_global_##name) {              \
    a[thread_in_grid()] = thread_in_grid();          \
    sync;                                            \
    b[thread_in_grid()] = a[127 - thread_in_grid()]; \
    SYNC;                                            \
  }
GLOBAL(RIGHT, sync, SYNC)
GLOBAL(RACY, barrier_of_the_block, __syncthreads())
// Other clusters are not.
RACY(4, 64, cluster_global_of_others) {
  a[thread_in_grid()] = thread_in_grid();
  SYNC;
  b[thread_in_grid()] = a[255 - thread_in_grid()];
}

// A tile goes from block 0 to block 1, which waits at its mbarrier.
#define SEND(label, name, wait)                                                                             \
  label(2, 32, cluster_send_##name) {                                                                       \
    __shared__ alignas(16) int from[32], to[32];                                                            \
    __shared__ alignas(8) std::uint64_t bar;                                                                \
    if (threadIdx.x == 0) {                                                                                 \
      ptx::mbarrier_init(&bar, 1);                                                                          \
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);                                       \
      if (RANK == 1)                                                                                        \
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, 128); \
    }                                                                                                       \
    from[threadIdx.x] = threadIdx.x;                                                                        \
    ptx::fence_proxy_async(ptx::space_shared);                                                              \
    SYNC;                                                                                                   \
    if (RANK == 0 && threadIdx.x == 0)                                                                      \
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, OTHER(to), from, 128, OTHER(&bar));         \
    if (RANK == 1) {                                                                                        \
      wait;                                                                                                 \
      a[threadIdx.x] = to[threadIdx.x];                                                                     \
    }                                                                                                       \
    SYNC;                                                                                                   \
  }
SEND(RIGHT, waited, while (!ptx::mbarrier_try_wait_parity(&bar, 0)))
SEND(RACY, not_waited, )

// Block 1 fills a word of block 0 and arrives at its mbarrier.
#define ARRIVE(label, name, wait)                                                                  \
  label(2, 32, cluster_arrive_##name) {                                                            \
    __shared__ int words[32];                                                                      \
    __shared__ alignas(8) std::uint64_t bar;                                                       \
    words[threadIdx.x] = 0;                                                                        \
    if (threadIdx.x == 0) {                                                                        \
      ptx::mbarrier_init(&bar, 32);                                                                \
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);                              \
    }                                                                                              \
    SYNC;                                                                                          \
    if (RANK == 1) {                                                                               \
      OTHER(words)[threadIdx.x] = 7;                                                               \
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, OTHER(&bar)); \
    } else {                                                                                       \
      wait;                                                                                        \
      a[threadIdx.x] = words[threadIdx.x];                                                         \
    }                                                                                              \
    SYNC;                                                                                          \
  }
ARRIVE(RIGHT, waited, while (!ptx::mbarrier_try_wait_parity(&bar, 0)))
ARRIVE(RACY, not_waited, )

// Two warps of block 1 fill the words of block 0, and one thread arrives there; two warps of block 0 read them.
__device__ inline void arrive_without_scope(std::uint64_t *bar) {  // at the mbarrier of the other block
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(
          static_cast<std::uint32_t>(__cvta_generic_to_shared(bar))),
      "r"(RANK ^ 1)
      : "memory");
}
#define ONE_ARRIVES(label, name, before, tell, wait)                  \
  label(2, 64, cluster_one_arrives_##name) {                          \
    __shared__ int words[64];                                         \
    __shared__ alignas(8) std::uint64_t bar;                          \
    words[threadIdx.x] = 0;                                           \
    if (threadIdx.x == 0) {                                           \
      ptx::mbarrier_init(&bar, 1);                                    \
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); \
    }                                                                 \
    SYNC;                                                             \
    if (RANK == 1) {                                                  \
      OTHER(words)[threadIdx.x] = 7;                                  \
      before;                                                         \
      if (threadIdx.x == 0) tell;                                     \
    } else {                                                          \
      wait;                                                           \
      a[threadIdx.x] = words[threadIdx.x];                            \
    }                                                                 \
    SYNC;                                                             \
  }
#define TELL ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, OTHER(&bar))
#define HEAR \
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) continue
ONE_ARRIVES(RIGHT, for_its_block, __syncthreads(), TELL, HEAR)
ONE_ARRIVES(RIGHT, without_a_scope, __syncthreads(), arrive_without_scope(&bar), HEAR)
ONE_ARRIVES(RACY, without_the_others, __syncwarp(), TELL, HEAR)
ONE_ARRIVES(RACY, first_warp_waits, __syncthreads(), TELL, if (threadIdx.x < 32) HEAR)
ONE_ARRIVES(RIGHT, first_warp_waits_and_tells, __syncthreads(), TELL, if (threadIdx.x < 32) HEAR;
            __syncthreads())

// To the other block and back: block 1 changes a word of block 0 only once it was told that it was read.
#define BACK(label, name, read_before, read_behind)                   \
  label(2, 32, cluster_back_##name) {                                 \
    __shared__ int word;                                              \
    __shared__ alignas(8) std::uint64_t bar;                          \
    if (threadIdx.x == 0) {                                           \
      word = 0;                                                       \
      ptx::mbarrier_init(&bar, 1);                                    \
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); \
    }                                                                 \
    SYNC;                                                             \
    if (threadIdx.x == 0) {                                           \
      if (RANK == 0) {                                                \
        read_before;                                                  \
        TELL;                                                         \
        read_behind;                                                  \
      } else {                                                        \
        HEAR;                                                         \
        *OTHER(&word) = 1;                                            \
      }                                                               \
    }                                                                 \
    SYNC;                                                             \
  }
BACK(RIGHT, read_first, a[0] = word, )
BACK(RACY, read_behind, , a[0] = word)

// An mbarrier that the other block of the cluster uses: its initialization must be released. The barrier of the cluster
// does so unless its arrival is relaxed; fence.mbarrier_init does so for itself.
#define MEET_RELAXED                                                    \
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); \
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory")
#define INITS(label, name, fence, meet)                                                          \
  label(2, 32, cluster_inits_##name) {                                                           \
    __shared__ alignas(8) std::uint64_t bar;                                                     \
    if (threadIdx.x == 0) {                                                                      \
      ptx::mbarrier_init(&bar, 32);                                                              \
      fence;                                                                                     \
    }                                                                                            \
    meet;                                                                                        \
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, OTHER(&bar)); \
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0u)) {     \
    }                                                                                            \
    SYNC;                                                                                        \
  }
#define FENCE ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster)
INITS(RIGHT, fence_relaxed, FENCE, MEET_RELAXED)
INITS(RACY, no_fence_relaxed, , MEET_RELAXED)
INITS(RIGHT, no_fence, , SYNC)
INITS(RIGHT, fence, FENCE, SYNC)
INITS(RACY, barrier_of_the_block, FENCE, __syncthreads())
