// Accesses of other widths than a word, pieces of words, vectors and matrices; and the objects of libcu++ that threads
// wait at.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>

#include "labels.cuh"

namespace cg = cooperative_groups;

// Bytes and halves of words.
RIGHT(1, 64, bytes_side_by_side) {
  reinterpret_cast<char *>(a)[threadIdx.x] = 1;
}
RACY(1, 64, bytes_of_two_warps) {
  reinterpret_cast<char *>(a)[threadIdx.x % 32] = static_cast<char>(threadIdx.x);
}
RACY(1, 64, byte_in_a_word) {
  if (threadIdx.x == 0) reinterpret_cast<char *>(a)[1] = 7;
  if (threadIdx.x == 32) c[0] = a[0];
}
RIGHT(1, 64, byte_beside_a_word) {
  if (threadIdx.x == 0) reinterpret_cast<char *>(a)[3] = 7;
  if (threadIdx.x == 32) c[0] = a[1];
}
RIGHT(2, 32, halves_of_a_word) {
  if (threadIdx.x == 0) reinterpret_cast<short *>(a)[blockIdx.x] = 3;
}
RACY(2, 32, half_in_a_word) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    reinterpret_cast<short *>(a)[1] = 3;
  else
    a[0] = 9;
}
RACY(2, 32, bit_fields_of_a_word) {
  struct Fields {
    unsigned low : 12, high : 20;
  };
  auto *const fields = reinterpret_cast<Fields *>(a);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    fields->low = 5;
  else
    fields->high = 6;
}
RIGHT(1, 64, counters_of_a_byte) {
  __shared__ unsigned char counts[4][64];
  for (int bin = 0; bin < 4; ++bin) counts[bin][threadIdx.x] = 0;
  for (int i = 0; i < 8; ++i) ++counts[(threadIdx.x + i) % 4][threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 4) c[threadIdx.x] = counts[threadIdx.x][threadIdx.x + 32];
}
RACY(1, 64, counters_of_a_byte_that_warps_share) {
  __shared__ unsigned char counts[4][32];
  counts[0][threadIdx.x % 32] = counts[1][threadIdx.x % 32] = 0;
  for (int i = 0; i < 8; ++i) ++counts[(threadIdx.x * n + i * n / 3) % 2][threadIdx.x % 32];
  __syncthreads();
  c[threadIdx.x] = counts[0][threadIdx.x % 32];
}

// Vectors and double words.
RACY(1, 64, vector_over_a_word) {
  if (threadIdx.x == 0) *reinterpret_cast<int4 *>(a) = make_int4(1, 2, 3, 4);
  if (threadIdx.x == 32) c[0] = a[3];
}
RIGHT(1, 64, vector_beside_a_word) {
  if (threadIdx.x == 0) *reinterpret_cast<int4 *>(a) = make_int4(1, 2, 3, 4);
  if (threadIdx.x == 32) c[0] = a[4];
}
RACY(2, 32, vectors_that_overlap) {
  if (threadIdx.x == 0) *reinterpret_cast<int2 *>(a + 2 * blockIdx.x) = make_int2(1, 2);
  if (threadIdx.x == 1) *reinterpret_cast<int4 *>(a) = make_int4(5, 6, 7, 8);
}
RIGHT(4, 32, doubles_that_are_added) {
  atomicAdd(reinterpret_cast<double *>(a), 1.0);
}
RACY(2, 32, half_of_a_double_that_is_added) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    atomicAdd(reinterpret_cast<double *>(a), 1.0);
  else
    c[0] = a[1];
}
RIGHT(4, 32, halves_that_are_added) {
  atomicAdd(reinterpret_cast<__half2 *>(a), __floats2half2_rn(1.0f, 1.0f));
}
RACY(2, 32, half_beside_halves_that_are_added) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    atomicAdd(reinterpret_cast<__half2 *>(a), __floats2half2_rn(1.0f, 1.0f));
  else
    reinterpret_cast<__half *>(a)[1] = __float2half(2.0f);
}
RIGHT(4, 32, short_compare_and_swap) {
  atomicCAS(reinterpret_cast<unsigned short *>(a) + 1, static_cast<unsigned short>(0),
            static_cast<unsigned short>(blockIdx.x + 1));
}
RACY(2, 32, short_compare_and_swap_beside_a_store) {
  auto *const word = reinterpret_cast<unsigned short *>(a) + 1;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    atomicCAS(word, static_cast<unsigned short>(0), static_cast<unsigned short>(1));
  else
    *word = 2;
}
RACY(2, 32, read_only_loads) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    a[0] = 1;
  else
    c[0] = __ldg(a);
}
RIGHT(2, 32, read_only_loads_of_what_nobody_writes) {
  c[thread_in_grid()] = __ldg(b + threadIdx.x);
}
RACY(2, 32, copies_that_overlap) {
  int mine[5];
  for (int i = 0; i < 5; ++i) mine[i] = static_cast<int>(blockIdx.x) + i + n;
  if (threadIdx.x == 0) memcpy(a + 4 * blockIdx.x, mine, sizeof mine);
}
RIGHT(2, 32, copies_side_by_side) {
  int mine[5];
  for (int i = 0; i < 5; ++i) mine[i] = static_cast<int>(blockIdx.x) + i + n;
  if (threadIdx.x == 0) memcpy(a + 5 * blockIdx.x, mine, sizeof mine);
}
RACY(1, 64, arrays_in_dynamic_memory_that_overlap) {
  __shared__ int memory[64];
  int *const first = memory, *const second = memory + 31;  // 32 would be right
  if (threadIdx.x < 32)
    first[threadIdx.x] = 1;
  else
    second[threadIdx.x - 32] = 2;
  __syncthreads();
  c[threadIdx.x] = memory[threadIdx.x < 63 ? threadIdx.x : 62];
}
RIGHT(1, 64, arrays_in_dynamic_memory) {
  __shared__ int memory[64];
  int *const first = memory, *const second = memory + 32;
  if (threadIdx.x < 32)
    first[threadIdx.x] = 1;
  else
    second[threadIdx.x - 32] = 2;
  __syncthreads();
  c[threadIdx.x] = memory[threadIdx.x];
}

// Warps that count together.
RIGHT(2, 64, leaders_of_equal_keys_add) {
  const int key = static_cast<int>(threadIdx.x % 5);
  const unsigned same = __match_any_sync(~0u, key);
  if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(same)) - 1)
    atomicAdd(&a[key], __popc(same));
}
RACY(1, 64, leaders_of_equal_keys_add_without_atomics) {
  const int key = static_cast<int>(threadIdx.x % 5);
  const unsigned same = __match_any_sync(~0u, key);
  if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(same)) - 1) a[key] += __popc(same);
}
RIGHT(1, 32, leaders_of_one_warp_add_without_atomics) {
  const int key = static_cast<int>(threadIdx.x % 5);
  const unsigned same = __match_any_sync(~0u, key);
  if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(same)) - 1) a[key] += __popc(same);
}
RIGHT(2, 64, sums_of_warps) {
  const unsigned sum = __reduce_add_sync(~0u, threadIdx.x);
  if (threadIdx.x % 32 == 0) atomicAdd(a, static_cast<int>(sum));
}
RACY(1, 64, sums_of_warps_without_atomics) {
  const unsigned sum = __reduce_add_sync(~0u, threadIdx.x);
  if (threadIdx.x % 32 == 0) a[0] += static_cast<int>(sum);
}
RIGHT(2, 64, partitions_by_label) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto part = cg::labeled_partition(warp, static_cast<int>(threadIdx.x % 3));
  if (part.thread_rank() == 0) atomicAdd(&a[threadIdx.x % 3], static_cast<int>(part.size()));
}
RACY(1, 64, partitions_by_label_without_atomics) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto part = cg::labeled_partition(warp, static_cast<int>(threadIdx.x % 3));
  if (part.thread_rank() == 0) a[threadIdx.x % 3] += static_cast<int>(part.size());
}

// Matrices.
#define MATRIX(label, name, barrier)                                                          \
  label(1, 64, matrix_##name) {                                                               \
    __shared__ __half tile[256];                                                              \
    __shared__ float result[256];                                                             \
    if (threadIdx.x >= 32)                                                                    \
      for (int i = static_cast<int>(threadIdx.x) - 32; i < 256; i += 32) tile[i] = __half(1); \
    barrier;                                                                                  \
    if (threadIdx.x >= 32) return;                                                            \
    using namespace nvcuda::wmma;                                                             \
    fragment<matrix_a, 16, 16, 16, __half, row_major> left;                                   \
    fragment<matrix_b, 16, 16, 16, __half, col_major> right;                                  \
    fragment<accumulator, 16, 16, 16, float> sum;                                             \
    fill_fragment(sum, 0.0f);                                                                 \
    load_matrix_sync(left, tile, 16);                                                         \
    load_matrix_sync(right, tile, 16);                                                        \
    mma_sync(sum, left, right, sum);                                                          \
    store_matrix_sync(result, sum, 16, mem_row_major);                                        \
    __syncwarp();                                                                             \
    c[threadIdx.x] = static_cast<int>(result[threadIdx.x]);                                   \
  }
MATRIX(RIGHT, behind_a_barrier, __syncthreads())
MATRIX(RACY, without_a_barrier, __syncwarp())

// libcu++: latches, semaphores and flags.
#define LATCH(label, name, wait)                                                           \
  label(1, 64, latch_##name) {                                                             \
    __shared__ int value;                                                                  \
    __shared__ alignas(8) char memory[sizeof(cuda::latch<cuda::thread_scope_block>)];      \
    auto *const latch = reinterpret_cast<cuda::latch<cuda::thread_scope_block> *>(memory); \
    if (threadIdx.x == 0) new (latch) cuda::latch<cuda::thread_scope_block>(1);            \
    __syncthreads();                                                                       \
    if (threadIdx.x == 0) {                                                                \
      value = n;                                                                           \
      latch->count_down();                                                                 \
    } else if (threadIdx.x == 32) {                                                        \
      wait;                                                                                \
      c[0] = value;                                                                        \
    }                                                                                      \
  }
LATCH(RIGHT, waited_for, latch->wait())
LATCH(RACY, not_waited_for, )

using Semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
using BlockSemaphore = cuda::binary_semaphore<cuda::thread_scope_block>;
#define SIGNAL(label, name, Kind, wait)                  \
  label(2, 32, semaphore_##name) {                       \
    auto *const semaphore = reinterpret_cast<Kind *>(b); \
    if (threadIdx.x != 0) return;                        \
    if (blockIdx.x == 0) {                               \
      a[0] = 42;                                         \
      semaphore->release();                              \
    } else {                                             \
      wait;                                              \
      c[0] = a[0];                                       \
    }                                                    \
  }
SIGNAL(RIGHT, acquired, Semaphore, semaphore->acquire())
SIGNAL(RACY, tried_once, Semaphore, (void)semaphore->try_acquire())
SIGNAL(RACY, of_block_scope, BlockSemaphore, semaphore->acquire())

#define FLAG(label, name, taken, given)                               \
  label(4, 32, flag_##name) {                                         \
    auto *const flag = reinterpret_cast<cuda::std::atomic_flag *>(b); \
    if (threadIdx.x != 0) return;                                     \
    while (flag->test_and_set(cuda::std::memory_order_##taken)) {     \
    }                                                                 \
    ++a[0];                                                           \
    flag->clear(cuda::std::memory_order_##given);                     \
  }
FLAG(RIGHT, as_a_lock, acquire, release)
FLAG(RACY, cleared_without_order, acquire, relaxed)
FLAG(RACY, taken_without_order, relaxed, release)
