// Tensor-core instructions that CUDA C++ has no function for. All 32 lanes of a warp execute them together.
// They are macros, so that a message about one names the line that uses it.
#pragma once

#include <cuda_runtime.h>

/// An address in shared memory as these instructions take it.
inline __device__ unsigned shared_address(const void *at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

/// load_matrices(unsigned (&to)[4], const void *row)
///
/// ldmatrix: loads four matrices of 8 x 8 halves from shared memory. Lane l gives the address of row l % 8 of
/// matrix l / 8: 16 bytes, at a multiple of 16. Lane l receives in to[i] the two elements of matrix i in row
/// l / 4 and columns 2 (l % 4) and 2 (l % 4) + 1.
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
#define multiply_add(sum, a, b0, b1)                                                                     \
  asm volatile(                                                                                          \
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
      "{%0, %1, %2, %3};"                                                                                \
      : "+f"((sum)[0]), "+f"((sum)[1]), "+f"((sum)[2]), "+f"((sum)[3])                                   \
      : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"(b0), "r"(b1))
