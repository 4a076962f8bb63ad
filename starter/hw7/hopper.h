// What Hopper GPUs (compute capability 9.0) add to tensor.h: copies of whole tiles that one thread starts,
// barriers that count their bytes, and products that four warps compute together. The steps that include this
// file are compiled for compute_90a.
#pragma once

#include <cuda.h>

#include "hgemm.h"
#include "tensor.h"

// ---- Barriers
// ------------------------------------------------------------------------------------------------

/// A barrier in shared memory. A phase is over when as many threads as start_barrier() was given have arrived
/// and all bytes that they announced have been copied. The phases have the parities 0, 1, 0, 1...
using Barrier = std::uint64_t;

inline __device__ void start_barrier(Barrier *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}

/// Shows the barriers that this thread started to copies and to other blocks of the cluster.
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

/// Arrives at the same barrier of a block of the cluster, which may be this one.
inline __device__ void arrive_at(Barrier *barrier, unsigned block) {
  asm volatile(
      "{\n\t"
      ".reg .b32 there;\n\t"
      "mapa.shared::cluster.u32 there, %0, %1;\n\t"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t"
      "}" ::"r"(shared_address(barrier)),
      "r"(block)
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

/// All threads of all blocks of the cluster wait for each other.
inline __device__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

/// The number of this block in its cluster.
inline __device__ unsigned block_in_cluster() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// ---- Copies of tiles (TMA)
// -----------------------------------------------------------------------------------

/// Describes a row-major matrix to the copy engine, for copies of boxes of `height` rows by 64 columns. In
/// shared memory, a box has rows of 128 bytes, whose 16-byte chunks are swizzled: chunk c of row r is at c ^
/// (r % 8). stride: halves from one row to the next, a multiple of 8. What a box has beyond the matrix is
/// zero.
inline CUtensorMap map_of(const __half *matrix, int rows, int columns, std::int64_t stride, int height) {
  const cuuint64_t size[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(stride) * sizeof(__half)};
  const cuuint32_t box[2] = {64, static_cast<cuuint32_t>(height)}, step[2] = {1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<__half *>(matrix), size,
                         strides, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

/// The same for a matrix of bytes, in boxes of `height` rows by 128 columns. columns: a multiple of 16.
inline CUtensorMap map_of_bytes(const void *matrix, int rows, int columns, int height) {
  const cuuint64_t size[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(columns)};
  const cuuint32_t box[2] = {128, static_cast<cuuint32_t>(height)}, step[2] = {1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, const_cast<void *>(matrix), size, strides,
                         box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

/// The same for C, in boxes of 64 rows by 32 columns. columns: a multiple of 4. What a box has beyond it is
/// not written.
inline CUtensorMap map_of_c(float *matrix, int rows, int columns) {
  const cuuint64_t size[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(columns) * sizeof(float)};
  const cuuint32_t box[2] = {32, 64}, step[2] = {1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, size, strides, box, step,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

/// The same for `batch` matrices of one size that follow each other. The third coordinate of a box is the
/// number of its matrix, and what the box has beyond that matrix is zero.
inline CUtensorMap map_of_batch(CUtensorMapDataType type, unsigned bytes, const void *matrices, int batch,
                                int rows, int columns, unsigned width, unsigned height) {
  const cuuint64_t size[3] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows),
                              static_cast<cuuint64_t>(batch)};
  const cuuint64_t strides[2] = {size[0] * bytes, size[0] * size[1] * bytes};
  const cuuint32_t box[3] = {width, height, 1}, step[3] = {1, 1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map, type, 3, const_cast<void *>(matrices), size, strides, box, step,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
inline CUtensorMap map_of_batch(const __half *matrices, int batch, int rows, int columns, unsigned height) {
  return map_of_batch(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrices, batch, rows, columns, 64, height);
}
inline CUtensorMap map_of_batch(const float *matrices, int batch, int rows, int columns, unsigned height) {
  return map_of_batch(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, matrices, batch, rows, columns, 32, height);
}

/// Fetches the description itself ahead of the first copy.
inline __device__ void fetch_map(const CUtensorMap &map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Starts the copy of a box to shared memory, which counts its bytes at `barrier`. x, y: column and row of
/// the box.
inline __device__ void copy_box(void *to, const CUtensorMap &map, int x, int y, Barrier *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
      "[%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y)
      : "memory");
}

/// The same from the matrix number z of a batch.
inline __device__ void copy_box(void *to, const CUtensorMap &map, int x, int y, int z, Barrier *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
      "[%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// The same of a matrix, to the same place and barrier in each block of the cluster whose bit in `blocks` is
/// set.
inline __device__ void copy_box_to(unsigned blocks, void *to, const CUtensorMap &map, int x, int y,
                                   Barrier *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}

/// Starts the copy of a box from shared memory to the matrix. Before it, each thread that wrote the box
/// executes fence_for_copies(), and the threads meet.
inline __device__ void store_box(const CUtensorMap &map, const void *from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(x), "r"(y)
               : "memory");
}
inline __device__ void store_box(const CUtensorMap &map, const void *from, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(x), "r"(y), "r"(z)
               : "memory");
}
inline __device__ void fence_for_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Makes the stores that this thread has started since the last call a group.
inline __device__ void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until all groups of this thread but the last `pending` ones have read shared memory.
template <int pending>
inline __device__ void await_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// ---- Products of warpgroups (wgmma)
// --------------------------------------------------------------------------

/// The 128 threads of a warpgroup wait for each other. id: 1 to 15, one for each warpgroup.
inline __device__ void sync_warpgroup(int id) {
  asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}

/// Changes how many registers each thread of this warpgroup has. All its warps execute it.
template <int registers>
inline __device__ void give_registers_up() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
inline __device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// They are macros, as in tensor.h. Before the first product of a group: wgmma_fence(). After the last:
// wgmma_commit(). wgmma_wait(n) waits for all groups but the last n.
#define wgmma_fence() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define wgmma_commit() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define wgmma_wait(groups) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory")

/// A factor in shared memory, as copy_box() left it. `next` is what is between two boxes of B side by side,
/// in bytes; A has one box.
inline __device__ std::uint64_t factor_at(const void *box, unsigned next = 16) {
  constexpr std::uint64_t eight_rows = 1024, swizzle_128 = 1;
  return std::uint64_t{(shared_address(box) & 0x3FFFF) >> 4} | std::uint64_t{next >> 4} << 16 |
         eight_rows >> 4 << 32 | swizzle_128 << 62;
}

/// multiply_tile(float (&sum)[n / 2], std::uint64_t a, std::uint64_t b, bool add), n = 64, 128 or 256
///
/// wgmma: sum = a * b, plus what sum was if `add`. a is 64 x 16, b is 16 x n, both by rows, and sum is 64 x
/// n: each warp has 16 rows of it, in which lane l has, with t = l / 4 and s = l % 4,
///   sum[4 j + 0, 1]: row t,     columns 8 j + 2 s and 8 j + 2 s + 1;
///   sum[4 j + 2, 3]: row t + 8, the same columns.
#define WGMMA_PLACES_32                                                                                  \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23, "                                                                                           \
  "%24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_PLACES_64                                                                                    \
  WGMMA_PLACES_32                                                                                          \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, " \
  "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_PLACES_128                                                                                     \
  WGMMA_PLACES_64                                                                                            \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "   \
  "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, " \
  "%104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, "   \
  "%121, %122, %123, %124, %125, %126, %127"
#define WGMMA_SUMS_8(d, i)                                                                                \
  "+f"((d)[i]), "+f"((d)[i + 1]), "+f"((d)[i + 2]), "+f"((d)[i + 3]), "+f"((d)[i + 4]), "+f"((d)[i + 5]), \
      "+f"((d)[i + 6]), "+f"((d)[i + 7])
#define WGMMA_SUMS_32(d, i) \
  WGMMA_SUMS_8(d, i), WGMMA_SUMS_8(d, i + 8), WGMMA_SUMS_8(d, i + 16), WGMMA_SUMS_8(d, i + 24)
#define WGMMA_OF(types, orders, columns, places, a_at, b_at, add_at)                         \
  "{\n\t.reg .pred add;\n\tsetp.ne.b32 add, " add_at                                         \
  ", 0;\n\twgmma.mma_async.sync.aligned.m64n" columns types " {" places "}, " a_at ", " b_at \
  ", add, 1, 1" orders ";\n\t}"
#define WGMMA(columns, places, a_at, b_at, add_at) \
  WGMMA_OF("k16.f32.f16.f16", ", 0, 1", columns, places, a_at, b_at, add_at)

inline __device__ void multiply_tile(float (&sum)[32], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(WGMMA("64", WGMMA_PLACES_32, "%32", "%33", "%34")
               : WGMMA_SUMS_32(sum, 0)
               : "l"(a), "l"(b), "r"(add));
}
inline __device__ void multiply_tile(float (&sum)[64], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(WGMMA("128", WGMMA_PLACES_64, "%64", "%65", "%66")
               : WGMMA_SUMS_32(sum, 0), WGMMA_SUMS_32(sum, 32)
               : "l"(a), "l"(b), "r"(add));
}
inline __device__ void multiply_tile(float (&sum)[128], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(WGMMA("256", WGMMA_PLACES_128, "%128", "%129", "%130")
               : WGMMA_SUMS_32(sum, 0), WGMMA_SUMS_32(sum, 32), WGMMA_SUMS_32(sum, 64), WGMMA_SUMS_32(sum, 96)
               : "l"(a), "l"(b), "r"(add));
}

/// multiply_bytes(float (&sum)[128], std::uint64_t a, std::uint64_t b, bool add)
///
/// The same for factors in e4m3: a is 64 x 32, b is 256 columns of 32, and both lie as copies left them, with
/// the numbers of a row of a and of a column of b side by side. No other order exists for 8 bits.
inline __device__ void multiply_bytes(float (&sum)[128], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(WGMMA_OF("k32.f32.e4m3.e4m3", "", "256", WGMMA_PLACES_128, "%128", "%129", "%130")
               : WGMMA_SUMS_32(sum, 0), WGMMA_SUMS_32(sum, 32), WGMMA_SUMS_32(sum, 64), WGMMA_SUMS_32(sum, 96)
               : "l"(a), "l"(b), "r"(add));
}

// ---- Results
// -------------------------------------------------------------------------------------------------

/// Writes what a warpgroup has of C = alpha * sum + beta * C, from its row and column on, and nothing outside
/// C.
template <int n>
inline __device__ void store_tile(float *C, int M, int N, int row, int col, float alpha, float beta,
                                  const float (&sum)[n]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int r = row + warp * 16 + half * 8 + lane / 4;
    if (r >= M) continue;
    float *to = C + r * std::int64_t{N} + col + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < n / 4; ++j) {
      const int c = col + j * 8 + lane % 4 * 2;
      float2 made = make_float2(alpha * sum[j * 4 + half * 2], alpha * sum[j * 4 + half * 2 + 1]);
      if (N % 2 == 0) {
        if (c >= N) continue;
        float2 *at = reinterpret_cast<float2 *>(to + j * 8);
        if (beta != 0.0f) made = make_float2(made.x + beta * at->x, made.y + beta * at->y);
        *at = made;
      } else {
        if (c < N) to[j * 8] = beta != 0.0f ? made.x + beta * to[j * 8] : made.x;
        if (c + 1 < N) to[j * 8 + 1] = beta != 0.0f ? made.y + beta * to[j * 8 + 1] : made.y;
      }
    }
  }
}

/// A box of results on its way to C: 64 rows by 32 columns.
constexpr int BOX_COLUMNS = 32, BOX_BYTES = 64 * BOX_COLUMNS * sizeof(float);

/// Has the copy engine write alpha * sum, a box at a time. The warpgroup `id` has `buffers` of them in shared
/// memory; start_copy(box, column) starts the copy of one, whose first column it is given.
template <int buffers, int n, class StartCopy>
inline __device__ void store_by_copies(char *boxes, int id, float alpha, const float (&sum)[n],
                                       const StartCopy &start_copy) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
#pragma unroll
  for (int part = 0; part < n * 2 / BOX_COLUMNS; ++part) {
    char *box = boxes + part % buffers * BOX_BYTES;
    if (threadIdx.x % 128 == 0) await_stores<buffers - 1>();  // what this box held has left
    sync_warpgroup(id);
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int j = 0; j < BOX_COLUMNS / 8; ++j) {
        const int r = warp * 16 + half * 8 + lane / 4, chunk = (2 * j + lane % 4 / 2) ^ (r % 8);
        const float *from = &sum[(part * BOX_COLUMNS / 8 + j) * 4 + half * 2];
        *reinterpret_cast<float2 *>(box + r * 128 + chunk * 16 + lane % 2 * 8) =
            make_float2(alpha * from[0], alpha * from[1]);
      }
    fence_for_copies();
    sync_warpgroup(id);
    if (threadIdx.x % 128 == 0) {
      start_copy(box, part * BOX_COLUMNS);
      commit_stores();
    }
  }
}
