// Tensor-core instructions that CUDA C++ has no function for. All 32 lanes of a warp execute them together.
// They are macros, so that a message about one names the line that uses it.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

/// An address in shared memory as these instructions take it.
inline __device__ unsigned shared_address(const void *at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

inline __device__ unsigned shared_address(unsigned at) {
  return at;
}

/// copy_async(void *to, const void *from, bool inside)
///
/// cp.async: starts the copy of 16 bytes to shared memory, or of 16 zeros if not `inside`; `from` is then any
/// address. __pipeline_commit() and __pipeline_wait_prior() of <cuda_pipeline.h> wait for it.
#define copy_async(to, from, inside)                                                                 \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), \
               "r"((inside) ? 16 : 0)                                                                \
               : "memory")

/// load_matrices(unsigned (&to)[4], const void *row)
///
/// ldmatrix: loads four matrices of 8 x 8 numbers from shared memory. Lane l gives the address of row l % 8 of
/// matrix l / 8, a pointer or what shared_address() made of it: 16 bytes, at a multiple of 16. Lane l receives
/// in to[i] the two elements of matrix i in row l / 4 and columns 2 (l % 4) and 2 (l % 4) + 1.
#define load_matrices(to, row)                                                    \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" \
               : "=r"((to)[0]), "=r"((to)[1]), "=r"((to)[2]), "=r"((to)[3])       \
               : "r"(shared_address(row))                                         \
               : "memory")

/// load_matrices_transposed(unsigned (&to)[4], const void *row)
///
/// The same, but each matrix is transposed on the way: lane l receives the elements in rows 2 (l % 4) and
/// 2 (l % 4) + 1 of column l / 4.
#define load_matrices_transposed(to, row)                                               \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" \
               : "=r"((to)[0]), "=r"((to)[1]), "=r"((to)[2]), "=r"((to)[3])             \
               : "r"(shared_address(row))                                               \
               : "memory")

/// multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
///
/// mma: sum += a * b, where a is 16 x 16, b and sum are 16 x 8. With t = l / 4 and s = l % 4, lane l holds
///   a[0], a[1]: rows t and t + 8, columns 2 s and 2 s + 1;   a[2], a[3]: the same 8 columns further right
///   b0:         column t, rows 2 s and 2 s + 1;              b1: the same 8 rows further down
///   sum[0..1]:  row t, columns 2 s and 2 s + 1;              sum[2..3]: the same 8 rows further down
#define multiply_add(sum, a, b0, b1)                                                                       \
  asm volatile(                                                                                            \
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
      "{%0, %1, %2, %3};"                                                                                  \
      : "+f"((sum)[0]), "+f"((sum)[1]), "+f"((sum)[2]), "+f"((sum)[3])                                     \
      : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"(b0), "r"(b1))

/// Two numbers in bfloat16, rounded to nearest, in one register: `low` is the one further left in a fragment.
inline __device__ unsigned packed(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned *>(&both);
}

/// 2^x, by one instruction; 0 for minus infinity.
inline __device__ float power_of_two(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}
[[maybe_unused]] constexpr float LOG2_E = 1.4426950408889634f;  // e^x = 2^(LOG2_E x)
