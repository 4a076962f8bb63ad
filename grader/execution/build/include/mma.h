// Products of matrices on tensor cores: nvcuda::wmma for half precision and TF32. Needs compute_70, for TF32
// compute_80. Other element types are in nvcc's header only.
#pragma once

#include "cuda_fp16.h"
#include "cuda_runtime.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {  // named, so that a fragment of them says what is missing
struct s4;
struct u4;
struct b1;
}  // namespace precision
}  // namespace experimental

WARPGRADE_DEVICE float __float_to_tf32(float value) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __builtin_bit_cast(float, bits);
}

template <class T>
struct warpgrade_stored {
  typedef T type;
};
template <>
struct warpgrade_stored<precision::tf32> {
  typedef float type;
};

/// How many elements of a fragment a lane holds; 0: there are no such fragments here.
template <class Use, int m, int n, int k, class T>
constexpr int warpgrade_elements() {
  constexpr bool sums = __is_same(Use, accumulator), half = __is_same(T, __half),
                 single = __is_same(T, float);
  if (m * n != 256 || (m != 8 && m != 16 && m != 32)) return 0;
  if (k == 16 && half) return sums ? 8 : 16;
  if (k == 16 && single && sums) return 8;
  if (m == 16 && k == 8 && single && sums) return 8;
  if (m == 16 && k == 8 && __is_same(T, precision::tf32) && !sums) return 4;
  return 0;
}

template <class Use, int m, int n, int k, class T, class Layout = void>
class alignas(8) fragment {
  static constexpr int elements = warpgrade_elements<Use, m, n, k, T>();
  static_assert(elements != 0,
                "there is no fragment of this shape and type with the clang front end; nvcc "
                "has fragments of other types than half and tf32");

 public:
  typedef T element_type;
  typedef typename warpgrade_stored<T>::type storage_element_type;
  enum { num_elements = elements, num_storage_elements = elements };
  storage_element_type x[elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
WARPGRADE_DEVICE void fill_fragment(
    fragment<Use, m, n, k, T, Layout> &f,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type &value) {
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}

template <class Layout>
constexpr int warpgrade_by_columns = __is_same(Layout, col_major);

// The compiler has a function for each instruction. It wants layouts as constants, and elements as words.
#define WARPGRADE_LOAD_FACTOR(use, m, n, k, T, name)                                               \
  template <class Layout>                                                                          \
  WARPGRADE_DEVICE void load_matrix_sync(fragment<use, m, n, k, T, Layout> &f,                     \
                                         const warpgrade_stored<T>::type *from, unsigned stride) { \
    name(reinterpret_cast<int *>(f.x), reinterpret_cast<const int *>(from), stride,                \
         warpgrade_by_columns<Layout>);                                                            \
  }
#define WARPGRADE_SUMS(m, n, k, T, word, load, store)                                         \
  WARPGRADE_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *from, \
                                         unsigned stride, layout_t layout) {                  \
    word *to = reinterpret_cast<word *>(f.x);                                                 \
    if (layout == mem_row_major)                                                              \
      load(to, reinterpret_cast<const word *>(from), stride, 0);                              \
    else                                                                                      \
      load(to, reinterpret_cast<const word *>(from), stride, 1);                              \
  }                                                                                           \
  WARPGRADE_DEVICE void store_matrix_sync(T *to, const fragment<accumulator, m, n, k, T> &f,  \
                                          unsigned stride, layout_t layout) {                 \
    word *from = reinterpret_cast<word *>(const_cast<T *>(f.x));                              \
    if (layout == mem_row_major)                                                              \
      store(reinterpret_cast<word *>(to), from, stride, 0);                                   \
    else                                                                                      \
      store(reinterpret_cast<word *>(to), from, stride, 1);                                   \
  }
// d = a b + c. The layout of both factors is one number: 2 for a by columns, plus 1 for b by columns, from
// the other side.
#define WARPGRADE_PRODUCT(m, n, k, F, D, d_word, C, c_word, name)                                     \
  template <class LayoutA, class LayoutB>                                                             \
  WARPGRADE_DEVICE void mma_sync(                                                                     \
      fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, F, LayoutA> &a,         \
      const fragment<matrix_b, m, n, k, F, LayoutB> &b, const fragment<accumulator, m, n, k, C> &c) { \
    name(reinterpret_cast<d_word *>(d.x), reinterpret_cast<const int *>(a.x),                         \
         reinterpret_cast<const int *>(b.x), reinterpret_cast<const c_word *>(c.x),                   \
         2 * warpgrade_by_columns<LayoutA> + warpgrade_by_columns<LayoutB>, 0);                       \
  }
#define WARPGRADE_HALF_SHAPE(m, n, k, name)                                        \
  WARPGRADE_LOAD_FACTOR(matrix_a, m, n, k, __half, name##_ld_a)                    \
  WARPGRADE_LOAD_FACTOR(matrix_b, m, n, k, __half, name##_ld_b)                    \
  WARPGRADE_SUMS(m, n, k, __half, int, name##_ld_c_f16, name##_st_c_f16)           \
  WARPGRADE_SUMS(m, n, k, float, float, name##_ld_c_f32, name##_st_c_f32)          \
  WARPGRADE_PRODUCT(m, n, k, __half, __half, int, __half, int, name##_mma_f16f16)  \
  WARPGRADE_PRODUCT(m, n, k, __half, __half, int, float, float, name##_mma_f16f32) \
  WARPGRADE_PRODUCT(m, n, k, __half, float, float, __half, int, name##_mma_f32f16) \
  WARPGRADE_PRODUCT(m, n, k, __half, float, float, float, float, name##_mma_f32f32)
WARPGRADE_HALF_SHAPE(16, 16, 16, __hmma_m16n16k16)
WARPGRADE_HALF_SHAPE(32, 8, 16, __hmma_m32n8k16)
WARPGRADE_HALF_SHAPE(8, 32, 16, __hmma_m8n32k16)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
WARPGRADE_LOAD_FACTOR(matrix_a, 16, 16, 8, precision::tf32, __mma_tf32_m16n16k8_ld_a)
WARPGRADE_LOAD_FACTOR(matrix_b, 16, 16, 8, precision::tf32, __mma_tf32_m16n16k8_ld_b)
WARPGRADE_SUMS(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
WARPGRADE_PRODUCT(16, 16, 8, precision::tf32, float, float, float, float, __mma_tf32_m16n16k8_mma_f32)
#endif
#undef WARPGRADE_LOAD_FACTOR
#undef WARPGRADE_SUMS
#undef WARPGRADE_PRODUCT
#undef WARPGRADE_HALF_SHAPE

}  // namespace wmma
}  // namespace nvcuda
