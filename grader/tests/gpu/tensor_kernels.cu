// Device code for the tests of the tensor-core model: every kernel runs one instruction on many fragments,
// whose registers it takes as they are. Word r of lane l of fragment f of an operand of R words lies at (f *
// R + r) * 32 + l.
#include <mma.h>

#include <cstdint>
#include <cstring>

namespace {

using Word = std::uint32_t;
namespace wmma = nvcuda::wmma;

template <int words>
__device__ void load(Word (&to)[words], const Word *from, int fragment) {
  for (int r = 0; r < words; ++r) to[r] = from[(fragment * words + r) * 32 + threadIdx.x % 32];
}
template <int words>
__device__ void store(const Word (&from)[words], Word *to, int fragment) {
  for (int r = 0; r < words; ++r) to[(fragment * words + r) * 32 + threadIdx.x % 32] = from[r];
}

}  // namespace

#define MMA(name, na, nb, nc, body)                                                                          \
  extern "C" __global__ void name(const Word *as, const Word *bs, const Word *cs, Word *ds, int fragments) { \
    const int warps = gridDim.x * blockDim.x / 32;                                                           \
    for (int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32; f < fragments; f += warps) {                  \
      Word a[na], b[nb], c[nc], d[nc];                                                                       \
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

namespace {

template <class Fragment>
__device__ void load_fragment(Fragment &to, const Word *from, int fragment) {
  Word words[sizeof(to.x) / 4];
  load(words, from, fragment);
  memcpy(&to.x, words, sizeof words);
}
template <class Fragment>
__device__ void store_fragment(const Fragment &from, Word *to, int fragment) {
  Word words[sizeof(from.x) / 4];
  memcpy(words, &from.x, sizeof words);
  store(words, to, fragment);
}

template <int m, int n, int k, class T, class C, class D, class LA, class LB>
__device__ void multiply(const Word *as, const Word *bs, const Word *cs, Word *ds, int fragments) {
  const int warps = gridDim.x * blockDim.x / 32;
  for (int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32; f < fragments; f += warps) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> b;
    wmma::fragment<wmma::accumulator, m, n, k, C> c;
    wmma::fragment<wmma::accumulator, m, n, k, D> d;
    load_fragment(a, as, f), load_fragment(b, bs, f), load_fragment(c, cs, f);
    wmma::mma_sync(d, a, b, c);
    store_fragment(d, ds, f);
  }
}

/// The fragments of a matrix: row-major and column-major A, B and C, and back from C; `words` words a lane
/// apart.
template <int m, int n, int k, class T, class C, class S>
__device__ void show(const S *ab, const C *c, Word *out, C *back) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major> ar;
  wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::col_major> ac;
  wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::row_major> br;
  wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::col_major> bc;
  wmma::fragment<wmma::accumulator, m, n, k, C> cr, cc;
  // leading dimension 32: enough for each shape
  wmma::load_matrix_sync(ar, ab, 32), wmma::load_matrix_sync(ac, ab, 32);
  wmma::load_matrix_sync(br, ab, 32), wmma::load_matrix_sync(bc, ab, 32);
  wmma::load_matrix_sync(cr, c, 32, wmma::mem_row_major),
      wmma::load_matrix_sync(cc, c, 32, wmma::mem_col_major);
  for (int i = 0; i < 6 * 16 * 32; i += 32) out[i + threadIdx.x] = 0xdeadbeef;
  store_fragment(ar, out, 0), store_fragment(ac, out + 512, 0);
  store_fragment(br, out + 1024, 0), store_fragment(bc, out + 1536, 0);
  store_fragment(cr, out + 2048, 0), store_fragment(cc, out + 2560, 0);
  wmma::store_matrix_sync(back, cr, 32, wmma::mem_row_major);
  wmma::store_matrix_sync(back + 1024, cr, 32, wmma::mem_col_major);
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
#define SHOW(name, m, n, k, T, C, S)                                                    \
  extern "C" __global__ void name##_show(const S *ab, const C *c, Word *out, C *back) { \
    show<m, n, k, T, C, S>(ab, c, out, back);                                           \
  }
#define SHAPES(type, T, C, D)                   \
  LAYOUTS(wmma_m16_##type, 16, 16, 16, T, C, D) \
  LAYOUTS(wmma_m32_##type, 32, 8, 16, T, C, D)  \
  LAYOUTS(wmma_m8_##type, 8, 32, 16, T, C, D)
#define SHOWS(type, T, C)                    \
  SHOW(wmma_m16_##type, 16, 16, 16, T, C, T) \
  SHOW(wmma_m32_##type, 32, 8, 16, T, C, T)  \
  SHOW(wmma_m8_##type, 8, 32, 16, T, C, T)
SHAPES(f16_f32_f32, half, float, float)
SHAPES(f16_f16_f16, half, half, half)
WMMA(wmma_m16_f16_f16_f32_rc, 16, 16, 16, half, half, float, row, col)
WMMA(wmma_m16_f16_f32_f16_rc, 16, 16, 16, half, float, half, row, col)
SHAPES(bf16_f32_f32, __nv_bfloat16, float, float)
SHAPES(s8, signed char, int, int)
SHAPES(u8, unsigned char, int, int)
LAYOUTS(wmma_k8_tf32, 16, 16, 8, wmma::precision::tf32, float, float)
SHOWS(f16_f32, half, float)
SHOWS(f16_f16, half, half)
SHOWS(bf16_f32, __nv_bfloat16, float)
SHOWS(s8, signed char, int)
SHOWS(u8, unsigned char, int)
SHOW(wmma_k8_tf32, 16, 16, 8, wmma::precision::tf32, float, float)
