// What Hopper GPUs (compute capability 9.0) add to tensor.h: copies of whole tiles that one thread starts,
// barriers that count their bytes, and products that four warps compute together. The steps that include this
// file are compiled for compute_90a. hw7 explains these functions, step by step, for a matrix product.
#pragma once

#include <cuda.h>

#include <cfloat>

#include "attention.h"
#include "tensor.h"

// ---- Barriers

/// A barrier in shared memory. A phase is over when as many threads as start_barrier() was given have arrived
/// and all bytes that they announced have been copied. The phases have the parities 0, 1, 0, 1...
using Barrier = std::uint64_t;

inline __device__ void start_barrier(Barrier *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}
/// Shows the barriers that this thread started to copies.
inline __device__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
inline __device__ void arrive(Barrier *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/// Arrives, and announces bytes that copies will bring in this phase.
inline __device__ void arrive_and_expect(Barrier *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
/// Waits until the phase with this parity is over. The barrier must not be more than one phase ahead or
/// behind.
inline __device__ void await(Barrier *barrier, unsigned parity) {
  unsigned over = 0;
  while (!over)
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "}"
        : "=r"(over)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
}

/// Two warpgroups meet at a named barrier, 1 to 15: one waits for the other, which does not wait.
inline __device__ void wait_for_turn(int id) {
  asm volatile("bar.sync %0, 256;" ::"r"(id) : "memory");
}
inline __device__ void give_turn(int id) {
  asm volatile("bar.arrive %0, 256;" ::"r"(id) : "memory");
}

// ---- Copies of tiles (TMA)

/// Describes the rows of all heads to the copy engine, for copies of boxes of `rows` rows by 64 columns. In
/// shared memory, a box has rows of 128 bytes, whose 16-byte chunks are swizzled: chunk c of row r is at
/// c ^ (r % 8). What a box has beyond a head is zero.
inline CUtensorMap map_of(const Number *from, int heads, int length, int width, int rows) {
  const cuuint64_t size[3] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(length),
                              static_cast<cuuint64_t>(heads)};
  const cuuint64_t strides[2] = {size[0] * sizeof(Number), size[0] * size[1] * sizeof(Number)};
  const cuuint32_t box[3] = {64, static_cast<cuuint32_t>(rows), 1}, step[3] = {1, 1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, const_cast<Number *>(from), size, strides,
                         box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

/// Starts the copies of WIDTH / 64 boxes of ROWS rows of a head, one after the other in shared memory, which
/// count their bytes at `barrier`.
template <int WIDTH, int ROWS>
inline __device__ void copy_rows(Number *to, const CUtensorMap &map, int first, int head, Barrier *barrier) {
  arrive_and_expect(barrier, ROWS * WIDTH * sizeof(Number));
  for (int box = 0; box < WIDTH / 64; ++box)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
        "%5}], "
        "[%2];" ::"r"(shared_address(to + box * ROWS * 64)),
        "l"(&map), "r"(shared_address(barrier)), "r"(box * 64), "r"(first), "r"(head)
        : "memory");
}

// ---- Products of warpgroups (wgmma)

/// Changes how many registers each thread of this warpgroup has. All its warps execute it.
template <int registers>
inline __device__ void give_registers_up() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
inline __device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// Before the first product of a group: wgmma_fence(). After the last: wgmma_commit(). wgmma_wait(n) waits for
// all groups but the last n.
#define wgmma_fence() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define wgmma_commit() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define wgmma_wait(groups) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory")

/// A factor in shared memory, as copy_rows() left it. `next` is what is between two boxes side by side, in
/// bytes.
inline __device__ std::uint64_t factor_at(const Number *box, unsigned next = 16) {
  constexpr std::uint64_t eight_rows = 1024, swizzle_128 = 1;
  return std::uint64_t{(shared_address(box) & 0x3FFFF) >> 4} | std::uint64_t{next >> 4} << 16 |
         eight_rows >> 4 << 32 | swizzle_128 << 62;
}

#define WGMMA_PLACES_32                                                                                  \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_PLACES_64                                                                                    \
  WGMMA_PLACES_32                                                                                          \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, " \
  "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_SUMS_8(d, i)                                                                                \
  "+f"((d)[i]), "+f"((d)[i + 1]), "+f"((d)[i + 2]), "+f"((d)[i + 3]), "+f"((d)[i + 4]), "+f"((d)[i + 5]), \
      "+f"((d)[i + 6]), "+f"((d)[i + 7])
#define WGMMA_SUMS_32(d, i) \
  WGMMA_SUMS_8(d, i), WGMMA_SUMS_8(d, i + 8), WGMMA_SUMS_8(d, i + 16), WGMMA_SUMS_8(d, i + 24)
#define WGMMA(columns, places, factors, add)                                                          \
  "{\n\t.reg .pred add;\n\tsetp.ne.b32 add, " add ", 0;\n\twgmma.mma_async.sync.aligned.m64n" columns \
  "k16.f32.bf16.bf16 {" places "}, " factors ";\n\t}"

/// scores = a * b', plus what scores were if `add`: a is 64 x 16 and b is 128 x 16, both by rows in shared
/// memory. Each warp has 16 rows of the 64 x 128 scores, in which lane l has, with t = l / 4 and s = l % 4,
///   scores[4 j + 0, 1]: row t,     columns 8 j + 2 s and 8 j + 2 s + 1;
///   scores[4 j + 2, 3]: row t + 8, the same columns.
inline __device__ void multiply_keys(float (&scores)[64], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(WGMMA("128", WGMMA_PLACES_64, "%64, %65, add, 1, 1, 0, 0", "%66")
               : WGMMA_SUMS_32(scores, 0), WGMMA_SUMS_32(scores, 32)
               : "l"(a), "l"(b), "r"(add));
}

/// sum += a * b: a is 64 x 16, in registers as for multiply_add(), and b is 16 x 64 or 16 x 128, by rows in
/// shared memory. sum is laid out like scores.
inline __device__ void multiply_values(float (&sum)[32], const unsigned *a, std::uint64_t b) {
  asm volatile(WGMMA("64", WGMMA_PLACES_32, "{%32, %33, %34, %35}, %36, add, 1, 1, 1", "1")
               : WGMMA_SUMS_32(sum, 0)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
inline __device__ void multiply_values(float (&sum)[64], const unsigned *a, std::uint64_t b) {
  asm volatile(WGMMA("128", WGMMA_PLACES_64, "{%64, %65, %66, %67}, %68, add, 1, 1, 1", "1")
               : WGMMA_SUMS_32(sum, 0), WGMMA_SUMS_32(sum, 32)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// ---- The softmax of a warpgroup's scores

/// Of the two rows of a lane, t and t + 8 of its warp.
struct Rows {
  float largest[2] = {-FLT_MAX, -FLT_MAX}, sum[2] = {};  // sums are those of the lane's own columns
};

/// Makes weights of the scores of 128 keys; shrink: by what the results so far must be multiplied.
/// last: the last of these keys that row t sees; row t + 8 sees up to last + below. all: it sees all of them.
template <int WIDTH>
inline __device__ void make_weights(float (&scores)[64], Rows &rows, float (&shrink)[2], bool all, int last,
                                    int below) {
  constexpr float scale = scale_of(WIDTH) * LOG2_E;
  constexpr unsigned everyone = 0xffffffff;
  const int column = threadIdx.x % 4 * 2;
  if (!all)
#pragma unroll
    for (int i = 0; i < 64; ++i)
      if (i / 4 * 8 + column + i % 2 > last + i / 2 % 2 * below) scores[i] = -INFINITY;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float most = rows.largest[half];
#pragma unroll
    for (int i = 0; i < 32; ++i) most = fmaxf(most, scores[i / 2 * 4 + half * 2 + i % 2]);
    most = fmaxf(most, __shfl_xor_sync(everyone, most, 1));
    most = fmaxf(most, __shfl_xor_sync(everyone, most, 2));
    shrink[half] = power_of_two((rows.largest[half] - most) * scale);
    rows.largest[half] = most;
    const float from = most * scale;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      float &one = scores[i / 2 * 4 + half * 2 + i % 2];
      one = power_of_two(one * scale - from);
      sum += one;
    }
    rows.sum[half] = rows.sum[half] * shrink[half] + sum;
  }
}

/// The weights as left factors of multiply_values(): four registers for each 16 keys.
inline __device__ void pack_weights(unsigned (&packs)[32], const float (&weights)[64]) {
#pragma unroll
  for (int i = 0; i < 32; ++i) packs[i] = packed(weights[2 * i], weights[2 * i + 1]);
}

template <int n>
inline __device__ void shrink_results(float (&results)[n], const float (&shrink)[2]) {
#pragma unroll
  for (int i = 0; i < n; ++i) results[i] *= shrink[i / 2 % 2];
}

/// Writes what a lane has of 64 rows of O, from `row` on, its own row t; rows from `length` on are outside.
template <int n>
inline __device__ void store_results(float *O, int row, int length, const Rows &rows,
                                     const float (&results)[n]) {
  constexpr unsigned everyone = 0xffffffff;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float sum = rows.sum[half];
    sum += __shfl_xor_sync(everyone, sum, 1);
    sum += __shfl_xor_sync(everyone, sum, 2);
    const float by = 1.0f / sum;
    if (row + half * 8 >= length) continue;
    float2 *to = reinterpret_cast<float2 *>(O + (row + half * 8) * std::int64_t{2 * n} + threadIdx.x % 4 * 2);
#pragma unroll
    for (int j = 0; j < n / 4; ++j)
      to[j * 4] = make_float2(results[j * 4 + half * 2] * by, results[j * 4 + half * 2 + 1] * by);
  }
}
