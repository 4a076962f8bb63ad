// Templates that turn a function of scalars into a handler for 32 lanes. Compiled once per instruction set,
// in a namespace of that name, so that the linker never takes a wide copy for a narrow machine.
#pragma once

#include <cstdint>

#include "decode/handlers.hpp"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#ifndef WARPGRADE_ISA
#define WARPGRADE_ISA baseline
#endif

namespace warpgrade::simt::WARPGRADE_ISA {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <class T>
[[gnu::always_inline]] inline const T *row(const Context &context, Ref ref) {
  return static_cast<const T *>(
      __builtin_assume_aligned(static_cast<const void *>(context.base[ref & 1] + ref), 64));
}
template <class T>
[[gnu::always_inline]] inline T *row_out(const Context &context, Ref ref) {
  return static_cast<T *>(__builtin_assume_aligned(static_cast<void *>(context.rows + ref), 64));
}
inline u32 predicate(const Context &context, Ref ref) {
  return *reinterpret_cast<const u32 *>(context.base[ref & 1] + ref);
}

template <class T>
constexpr Width width_of = sizeof(T) == 8 ? Width::wide : Width::word;

// The loops must not assume that d differs from a, b, c: but each lane reads before it writes its own, so the
// iterations are independent, which is what ivdep promises.
template <class D, class A, class F>
void map1(const Op &op, Context &context) {
  const A *a = row<A>(context, op.a);
  D *d = row_out<D>(context, op.d);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) d[i] = F{}(a[i]);
}
template <class D, class A, class B, class F>
void map2(const Op &op, Context &context) {
  const A *a = row<A>(context, op.a);
  const B *b = row<B>(context, op.b);
  D *d = row_out<D>(context, op.d);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) d[i] = F{}(a[i], b[i]);
}
template <class D, class A, class B, class C, class F>
void map3(const Op &op, Context &context) {
  const A *a = row<A>(context, op.a);
  const B *b = row<B>(context, op.b);
  const C *c = row<C>(context, op.c);
  D *d = row_out<D>(context, op.d);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) d[i] = F{}(a[i], b[i], c[i]);
}
alignas(128) constexpr u32 lane_bit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/// One bit of each lane that is not 0; every lane is 0 or all ones.
[[gnu::always_inline]] inline u32 mask_of(const u32 (&holds)[32]) {
#ifdef __AVX512DQ__
  return static_cast<u32>(_mm512_movepi32_mask(_mm512_load_si512(holds))) |
         static_cast<u32>(_mm512_movepi32_mask(_mm512_load_si512(holds + 16))) << 16;
#else
  u32 mask = 0;
  for (int i = 0; i < 32; ++i) mask |= holds[i] & lane_bit[i];
  return mask;
#endif
}

template <class A, class F>
void compare(const Op &op, Context &context) {
  const A *a = row<A>(context, op.a);
  const A *b = row<A>(context, op.b);
  alignas(64) u32 holds[32];
  for (int i = 0; i < 32; ++i) holds[i] = F{}(a[i], b[i]) ? ~0u : 0u;
  *reinterpret_cast<u32 *>(context.rows + op.d) = mask_of(holds);
}
template <class T>
void select(const Op &op, Context &context) {
  const T *a = row<T>(context, op.a);
  const T *b = row<T>(context, op.b);
  T *d = row_out<T>(context, op.d);
  const u32 mask = predicate(context, op.c);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) d[i] = mask & lane_bit[i] ? a[i] : b[i];
}

inline void add_entry(EntryList &list, const Entry &entry) {
  list.entries[list.size++] = entry;
}

template <class D, class A, class F>
void add1(EntryList &list, const char *name, F) {
  add_entry(list, {name, &map1<D, A, F>, width_of<D>, width_of<A>});
}
template <class D, class A, class B, class F>
void add2(EntryList &list, const char *name, F) {
  add_entry(list, {name, &map2<D, A, B, F>, width_of<D>, width_of<A>, width_of<B>});
}
template <class D, class A, class B, class C, class F>
void add3(EntryList &list, const char *name, F) {
  add_entry(list, {name, &map3<D, A, B, C, F>, width_of<D>, width_of<A>, width_of<B>, width_of<C>});
}
template <class A, class F>
void add_compare(EntryList &list, const char *name, F) {
  add_entry(list, {name, &compare<A, F>, Width::predicate, width_of<A>, width_of<A>});
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
