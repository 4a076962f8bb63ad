// Templates that turn a function of scalars into a handler for 32 lanes, one after the other: for operations
// too rare for a vector form. Internal to simt.
#pragma once

#include <bit>
#include <cstring>
#include <initializer_list>

#include "decode/handlers.hpp"

namespace warpgrade::simt {

/// The NaN that double precision returns: the first of the list, as a quiet NaN; a new one if there is
/// none.
inline double nan_of(std::initializer_list<double> operands) {
  constexpr std::uint64_t quiet = 0x0008000000000000;
  for (const double one : operands)
    if (one != one) return std::bit_cast<double>(std::bit_cast<std::uint64_t>(one) | quiet);
  return std::bit_cast<double>(0xFFF8000000000000);
}

/// The one NaN that single-precision instructions give, in place of any NaN.
inline float canonical(float value) {
  return value == value ? value : std::bit_cast<float>(0x7FFFFFFFu);
}
/// The effect of .ftz: a subnormal number becomes a zero of its sign.
inline float flushed(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x7F800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : value;
}

template <class T>
T lane_in(const Context &context, Ref ref, int lane) {
  T value;
  std::memcpy(&value, context.base[ref & 1] + ref + static_cast<std::size_t>(lane) * sizeof(T), sizeof(T));
  return value;
}
template <class T>
void lane_out(Context &context, Ref ref, int lane, T value) {
  std::memcpy(context.rows + ref + static_cast<std::size_t>(lane) * sizeof(T), &value, sizeof(T));
}

template <class D, class A, class F>
void lanes1(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) lane_out<D>(context, op.d, i, F{}(lane_in<A>(context, op.a, i)));
}
template <class D, class A, class B, class F>
void lanes2(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i)
    lane_out<D>(context, op.d, i, F{}(lane_in<A>(context, op.a, i), lane_in<B>(context, op.b, i)));
}
template <class D, class A, class B, class C, class F>
void lanes3(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i)
    lane_out<D>(
        context, op.d, i,
        F{}(lane_in<A>(context, op.a, i), lane_in<B>(context, op.b, i), lane_in<C>(context, op.c, i)));
}
/// A predicate of one operand.
template <class A, class F>
void test_lanes(const Op &op, Context &context) {
  std::uint32_t mask = 0;
  for (int i = 0; i < 32; ++i)
    if (F{}(lane_in<A>(context, op.a, i))) mask |= 1u << i;
  std::memcpy(context.rows + op.d, &mask, 4);
}

template <class T>
constexpr Width width_of_row = sizeof(T) == 8 ? Width::wide : Width::word;

inline void put(EntryList &list, const Entry &entry) {
  list.entries[list.size++] = entry;
}
template <class D, class A, class F>
void add1(EntryList &list, const char *name, F) {
  put(list, {name, &lanes1<D, A, F>, width_of_row<D>, width_of_row<A>});
}
template <class D, class A, class B, class F>
void add2(EntryList &list, const char *name, F) {
  put(list, {name, &lanes2<D, A, B, F>, width_of_row<D>, width_of_row<A>, width_of_row<B>});
}
template <class D, class A, class B, class C, class F>
void add3(EntryList &list, const char *name, F) {
  put(list,
      {name, &lanes3<D, A, B, C, F>, width_of_row<D>, width_of_row<A>, width_of_row<B>, width_of_row<C>});
}
template <class A, class F>
void add_test(EntryList &list, const char *name, F) {
  put(list, {name, &test_lanes<A, F>, Width::predicate, width_of_row<A>});
}

}  // namespace warpgrade::simt
