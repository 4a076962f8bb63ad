// Device code for the tests of the tensor-core model: every kernel runs one instruction on many fragments,
// whose registers it takes as they are. Register r of lane l of fragment f of an operand of R registers is at
// (f * R + r) * 32 + l; registers have 32 bits, or 64 if they hold doubles.
#include <mma.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace {

using Word = std::uint32_t;
namespace wmma = nvcuda::wmma;

template <class Register, int count>
__device__ void load(Register (&to)[count], const Word *from, int fragment) {
  const auto *const all = reinterpret_cast<const Register *>(from);
  for (int r = 0; r < count; ++r) to[r] = all[(fragment * count + r) * 32 + threadIdx.x % 32];
}
template <class Register, int count>
__device__ void store(const Register (&from)[count], Word *to, int fragment) {
  auto *const all = reinterpret_cast<Register *>(to);
  for (int r = 0; r < count; ++r) all[(fragment * count + r) * 32 + threadIdx.x % 32] = from[r];
}

}  // namespace

#define MMA(name, na, nb, nc, body) MMA_OF(Word, name, na, nb, nc, body)
#define MMA_OF(Register, name, na, nb, nc, body)                                                             \
  extern "C" __global__ void name(const Word *as, const Word *bs, const Word *cs, Word *ds, int fragments) { \
    const int warps = gridDim.x * blockDim.x / 32;                                                           \
    for (int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32; f < fragments; f += warps) {                  \
      Register a[na], b[nb], c[nc], d[nc];                                                                   \
      load(a, as, f), load(b, bs, f), load(c, cs, f);                                                        \
      body;                                                                                                  \
      store(d, ds, f);                                                                                       \
    }                                                                                                        \
  }

#define A2B1C4(name, text)                                               \
  MMA(name, 2, 1, 4,                                                     \
      asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" \
                   : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])      \
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])))
#define A4B2C4(name, text)                                                                                   \
  MMA(name, 4, 2, 4,                                                                                         \
      asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                         \
                   : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                          \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), \
                     "r"(c[2]), "r"(c[3])))
#define A2B1C2(name, text)                                  \
  MMA(name, 2, 1, 2,                                        \
      asm volatile(text " {%0,%1}, {%2,%3}, {%4}, {%5,%6};" \
                   : "=r"(d[0]), "=r"(d[1])                 \
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1])))
#define A4B2C2(name, text)                                                                        \
  MMA(name, 4, 2, 2,                                                                              \
      asm volatile(text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"                              \
                   : "=r"(d[0]), "=r"(d[1])                                                       \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), \
                     "r"(c[1])))
#define A1B1C2(name, text)                               \
  MMA(name, 1, 1, 2,                                     \
      asm volatile(text " {%0,%1}, {%2}, {%3}, {%4,%5};" \
                   : "=r"(d[0]), "=r"(d[1])              \
                   : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1])))

A2B1C4(mma_k8_f16_f32, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")
A4B2C4(mma_k16_f16_f32, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
A2B1C2(mma_k8_f16_f16, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16")
A4B2C2(mma_k16_f16_f16, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16")
A2B1C4(mma_k8_bf16_f32, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32")
A4B2C4(mma_k16_bf16_f32, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
A2B1C4(mma_k4_tf32_f32, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")
A4B2C4(mma_k8_tf32_f32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
#define INTEGER(x, y)                                                                                  \
  A1B1C2(mma_m8_##x##_##y, "mma.sync.aligned.m8n8k16.row.col.s32." #x "." #y ".s32")                   \
  A2B1C4(mma_k16_##x##_##y, "mma.sync.aligned.m16n8k16.row.col.s32." #x "." #y ".s32")                 \
  A4B2C4(mma_k32_##x##_##y, "mma.sync.aligned.m16n8k32.row.col.s32." #x "." #y ".s32")                 \
  A2B1C4(mma_k16_##x##_##y##_sat, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32." #x "." #y ".s32") \
  A4B2C4(mma_k32_##x##_##y##_sat, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32." #x "." #y ".s32")
INTEGER(s8, s8)
INTEGER(s8, u8)
INTEGER(u8, s8)
INTEGER(u8, u8)
#define PACKED(x, y)                                                                                   \
  A1B1C2(mma_m8_##x##_##y, "mma.sync.aligned.m8n8k32.row.col.s32." #x "." #y ".s32")                   \
  A2B1C4(mma_k32_##x##_##y, "mma.sync.aligned.m16n8k32.row.col.s32." #x "." #y ".s32")                 \
  A4B2C4(mma_k64_##x##_##y, "mma.sync.aligned.m16n8k64.row.col.s32." #x "." #y ".s32")                 \
  A1B1C2(mma_m8_##x##_##y##_sat, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32." #x "." #y ".s32")   \
  A2B1C4(mma_k32_##x##_##y##_sat, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32." #x "." #y ".s32") \
  A4B2C4(mma_k64_##x##_##y##_sat, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32." #x "." #y ".s32")
PACKED(s4, s4)
PACKED(s4, u4)
PACKED(u4, s4)
PACKED(u4, u4)
#define BITS(op)                                                                            \
  A1B1C2(mma_m8_b1_##op, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32." #op ".popc")    \
  A2B1C4(mma_k128_b1_##op, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32." #op ".popc") \
  A4B2C4(mma_k256_b1_##op, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32." #op ".popc")
BITS(and)
BITS(xor)

#define DOUBLE_M8(name, rounding)                                      \
  MMA_OF(double, name, 1, 1, 2,                                        \
         asm volatile("mma.sync.aligned.m8n8k4.row.col" rounding       \
                      ".f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};" \
                      : "=d"(d[0]), "=d"(d[1])                         \
                      : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1])))
DOUBLE_M8(mma_m8_f64, "")
DOUBLE_M8(mma_m8_f64_rz, ".rz")
DOUBLE_M8(mma_m8_f64_rm, ".rm")
DOUBLE_M8(mma_m8_f64_rp, ".rp")
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define DOUBLE_M16(suffix, rounding)                                                                     \
  MMA_OF(double, mma_k4_f64##suffix, 2, 1, 4,                                                            \
         asm volatile("mma.sync.aligned.m16n8k4.row.col" rounding                                        \
                      ".f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                   \
                      : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])                                   \
                      : "d"(a[0]), "d"(a[1]), "d"(b[0]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3])))    \
  MMA_OF(double, mma_k8_f64##suffix, 4, 2, 4,                                                            \
         asm volatile("mma.sync.aligned.m16n8k8.row.col" rounding                                        \
                      ".f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"       \
                      : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])                                   \
                      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]), "d"(c[0]),     \
                        "d"(c[1]), "d"(c[2]), "d"(c[3])))                                                \
  MMA_OF(double, mma_k16_f64##suffix, 8, 4, 4,                                                           \
         asm volatile("mma.sync.aligned.m16n8k16.row.col" rounding                                       \
                      ".f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, " \
                      "{%16,%17,%18,%19};"                                                               \
                      : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])                                   \
                      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),     \
                        "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]), "d"(c[0]), "d"(c[1]),     \
                        "d"(c[2]), "d"(c[3])))
#define FP8(a, b)                                                                            \
  A2B1C4(mma_k16_##a##_##b##_f32, "mma.sync.aligned.m16n8k16.row.col.f32." #a "." #b ".f32") \
  A4B2C4(mma_k32_##a##_##b##_f32, "mma.sync.aligned.m16n8k32.row.col.f32." #a "." #b ".f32") \
  A2B1C2(mma_k16_##a##_##b##_f16, "mma.sync.aligned.m16n8k16.row.col.f16." #a "." #b ".f16") \
  A4B2C2(mma_k32_##a##_##b##_f16, "mma.sync.aligned.m16n8k32.row.col.f16." #a "." #b ".f16")
FP8(e4m3, e4m3)
FP8(e4m3, e5m2)
FP8(e5m2, e4m3)
FP8(e5m2, e5m2)
DOUBLE_M16(, "")
DOUBLE_M16(_rz, ".rz")
DOUBLE_M16(_rm, ".rm")
DOUBLE_M16(_rp, ".rp")
#endif

namespace {

template <class Fragment>
using Register =
    std::conditional_t<std::is_same<typename Fragment::element_type, double>::value, double, Word>;

template <class Fragment>
__device__ void load_fragment(Fragment &to, const Word *from, int fragment) {
  Register<Fragment> registers[sizeof(to.x) / sizeof(Register<Fragment>)];
  load(registers, from, fragment);
  memcpy(&to.x, registers, sizeof registers);
}
template <class Fragment>
__device__ void store_fragment(const Fragment &from, Word *to, int fragment) {
  Register<Fragment> registers[sizeof(from.x) / sizeof(Register<Fragment>)];
  memcpy(registers, &from.x, sizeof registers);
  store(registers, to, fragment);
}

enum class How { plain, saturated, bits_and, bits_xor };

template <int m, int n, int k, class T, class C, class D, class LA, class LB, How how = How::plain>
__device__ void multiply(const Word *as, const Word *bs, const Word *cs, Word *ds, int fragments) {
  const int warps = gridDim.x * blockDim.x / 32;
  for (int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32; f < fragments; f += warps) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> b;
    wmma::fragment<wmma::accumulator, m, n, k, C> c;
    wmma::fragment<wmma::accumulator, m, n, k, D> d;
    load_fragment(a, as, f), load_fragment(b, bs, f), load_fragment(c, cs, f);
    if constexpr (how == How::bits_and)
      wmma::bmma_sync(d, a, b, c, wmma::experimental::bmmaBitOpAND);
    else if constexpr (how == How::bits_xor)
      wmma::bmma_sync(d, a, b, c, wmma::experimental::bmmaBitOpXOR);
    else if constexpr (how == How::saturated)
      wmma::mma_sync(d, a, b, c, true);
    else
      wmma::mma_sync(d, a, b, c);
    store_fragment(d, ds, f);
  }
}

/// The fragments of a matrix, 1024 words each: A, B and C by rows, and where they exist by columns. Behind
/// them is C, stored by rows and by columns.
constexpr int shown_words = 1024, shown = 8 * shown_words;

template <class A, class B, class C, class S, class Sum>
__device__ void show(const S *ab, const Sum *sums, Word *out) {
  A a;
  B b;
  C by_rows, by_columns;
  const int width = std::is_void<S>::value ? 128 : 32;  // of elements of less than a byte, or of others
  wmma::load_matrix_sync(a, ab, width), wmma::load_matrix_sync(b, ab, width);
  wmma::load_matrix_sync(by_rows, sums, 32, wmma::mem_row_major);
  wmma::load_matrix_sync(by_columns, sums, 32, wmma::mem_col_major);
  for (int i = 0; i < shown; i += 32) out[i + threadIdx.x] = 0xdeadbeef;
  __syncwarp();
  store_fragment(a, out, 0), store_fragment(b, out + shown_words, 0);
  store_fragment(by_rows, out + 2 * shown_words, 0), store_fragment(by_columns, out + 3 * shown_words, 0);
  auto *const back = reinterpret_cast<Sum *>(out + 4 * shown_words);
  wmma::store_matrix_sync(back, by_rows, 32, wmma::mem_row_major);
  wmma::store_matrix_sync(back + shown_words, by_rows, 32, wmma::mem_col_major);
}

}  // namespace

#define WMMA(name, m, n, k, T, C, D, LA, LB)                                                             \
  extern "C" __global__ void name(const Word *a, const Word *b, const Word *c, Word *d, int fragments) { \
    multiply<m, n, k, T, C, D, wmma::LA##_major, wmma::LB##_major>(a, b, c, d, fragments);               \
  }
#define LAYOUTS(name, m, n, k, T, C, D)       \
  WMMA(name##_rr, m, n, k, T, C, D, row, row) \
  WMMA(name##_rc, m, n, k, T, C, D, row, col) \
  WMMA(name##_cr, m, n, k, T, C, D, col, row) \
  WMMA(name##_cc, m, n, k, T, C, D, col, col)
#define SHOW(name, m, n, k, T, C, S, LA, LB)                                          \
  extern "C" __global__ void name(const S *ab, const C *c, const Word *, Word *out) { \
    if (threadIdx.x < 32)                                                             \
      show<wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::LA##_major>,              \
           wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::LB##_major>,              \
           wmma::fragment<wmma::accumulator, m, n, k, C>>(ab, c, out);                \
  }
#define SHOW_BOTH(name, m, n, k, T, C, S)           \
  SHOW(show_##name##_r, m, n, k, T, C, S, row, row) \
  SHOW(show_##name##_c, m, n, k, T, C, S, col, col)
#define SHAPES(type, T, C, D)                   \
  LAYOUTS(wmma_m16_##type, 16, 16, 16, T, C, D) \
  LAYOUTS(wmma_m32_##type, 32, 8, 16, T, C, D)  \
  LAYOUTS(wmma_m8_##type, 8, 32, 16, T, C, D)
#define SHOWS(type, T, C)                    \
  SHOW_BOTH(m16_##type, 16, 16, 16, T, C, T) \
  SHOW_BOTH(m32_##type, 32, 8, 16, T, C, T)  \
  SHOW_BOTH(m8_##type, 8, 32, 16, T, C, T)
SHAPES(f16_f32_f32, half, float, float)
SHAPES(f16_f16_f16, half, half, half)
WMMA(wmma_m16_f16_f16_f32_rc, 16, 16, 16, half, half, float, row, col)
WMMA(wmma_m16_f16_f32_f16_rc, 16, 16, 16, half, float, half, row, col)
SHAPES(bf16_f32_f32, __nv_bfloat16, float, float)
SHAPES(s8, signed char, int, int)
SHAPES(u8, unsigned char, int, int)
LAYOUTS(wmma_k8_tf32, 16, 16, 8, wmma::precision::tf32, float, float)
LAYOUTS(wmma_m8_f64, 8, 8, 4, double, double, double)
#define SMALL(name, k, T, how)                                                                           \
  extern "C" __global__ void name(const Word *a, const Word *b, const Word *c, Word *d, int fragments) { \
    multiply<8, 8, k, T, int, int, wmma::row_major, wmma::col_major, how>(a, b, c, d, fragments);        \
  }
namespace precision = wmma::experimental::precision;
SMALL(wmma_m8_s4_rc, 32, precision::s4, How::plain)
SMALL(wmma_m8_u4_rc, 32, precision::u4, How::plain)
SMALL(wmma_m8_s4_rc_sat, 32, precision::s4, How::saturated)
SMALL(wmma_m8_u4_rc_sat, 32, precision::u4, How::saturated)
SMALL(wmma_m8_b1_and_rc, 128, precision::b1, How::bits_and)
SMALL(wmma_m8_b1_xor_rc, 128, precision::b1, How::bits_xor)
SHOWS(f16_f32, half, float)
SHOWS(f16_f16, half, half)
SHOWS(bf16_f32, __nv_bfloat16, float)
SHOWS(s8, signed char, int)
SHOWS(u8, unsigned char, int)
SHOW_BOTH(k8_tf32, 16, 16, 8, wmma::precision::tf32, float, float)
SHOW_BOTH(m8_f64, 8, 8, 4, double, double, double)
SHOW(show_m8_s4, 8, 8, 32, precision::s4, int, void, row, col)
SHOW(show_m8_u4, 8, 8, 32, precision::u4, int, void, row, col)
SHOW(show_m8_b1, 8, 8, 128, precision::b1, int, void, row, col)
