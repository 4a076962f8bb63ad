// Operations that are too rare to be worth a vector form: scalar loops.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "simt/block_run.hpp"
#include "simt/handlers.hpp"

namespace warpgrade::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <class T>
T in(const Context &context, Ref ref, int lane) {
  T value;
  std::memcpy(&value, context.base[ref & 1] + ref + static_cast<std::size_t>(lane) * sizeof(T), sizeof(T));
  return value;
}
template <class T>
void out(Context &context, Ref ref, int lane, T value) {
  std::memcpy(context.rows + ref + static_cast<std::size_t>(lane) * sizeof(T), &value, sizeof(T));
}

template <class D, class A, class F>
void lanes1(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) out<D>(context, op.d, i, F{}(in<A>(context, op.a, i)));
}
template <class D, class A, class B, class F>
void lanes2(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i)
    out<D>(context, op.d, i, F{}(in<A>(context, op.a, i), in<B>(context, op.b, i)));
}
template <class D, class A, class B, class C, class F>
void lanes3(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i)
    out<D>(context, op.d, i, F{}(in<A>(context, op.a, i), in<B>(context, op.b, i), in<C>(context, op.c, i)));
}
template <class T>
constexpr Width width = sizeof(T) == 8 ? Width::wide : Width::word;

void put(EntryList &list, const Entry &entry) {
  list.entries[list.size++] = entry;
}
template <class D, class A, class F>
void add1(EntryList &list, const char *name, F) {
  put(list, {name, &lanes1<D, A, F>, width<D>, width<A>});
}
template <class D, class A, class B, class F>
void add2(EntryList &list, const char *name, F) {
  put(list, {name, &lanes2<D, A, B, F>, width<D>, width<A>, width<B>});
}
template <class D, class A, class B, class C, class F>
void add3(EntryList &list, const char *name, F) {
  put(list, {name, &lanes3<D, A, B, C, F>, width<D>, width<A>, width<B>, width<C>});
}

u32 permuted(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 pick = selector >> 4 * i & 15;
    u32 byte = bytes >> 8 * (pick & 7) & 255;
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}
/// The selectors of the named modes, by the low two bits of c.
constexpr u32 permute_modes[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                     {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                     {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};

template <class T>
T inserted(T field, T into, u32 at, u32 length) {
  constexpr u32 bits = sizeof(T) * 8;
  at &= 255, length &= 255;
  if (at >= bits || length == 0) return into;
  const T ones = length >= bits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = static_cast<T>(ones << at);
  return static_cast<T>((into & ~mask) | ((field << at) & mask));
}
template <class T>
void insert_field(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i)
    out<T>(context, op.d, i,
           inserted(in<T>(context, op.a, i), in<T>(context, op.b, i), in<u32>(context, op.c, i),
                    in<u32>(context, op.e, i)));
}

void lookup3(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    const u32 a = in<u32>(context, op.a, i), b = in<u32>(context, op.b, i), c = in<u32>(context, op.c, i);
    const u32 table = in<u32>(context, op.e, i);
    u32 result = 0;
    for (u32 k = 0; k < 8; ++k)
      if (table >> k & 1) result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    out(context, op.d, i, result);
  }
}

template <class T>
u32 find_top(T value, bool shift_amount) {
  constexpr u32 bits = sizeof(T) * 8;
  u64 magnitude = static_cast<u64>(value);
  if (static_cast<T>(-1) < 0 && value < 0) magnitude = static_cast<u64>(~value);
  if (bits == 32) magnitude &= 0xFFFFFFFF;
  if (magnitude == 0) return 0xFFFFFFFF;
  const u32 position = 63 - static_cast<u32>(std::countl_zero(magnitude));
  return shift_amount ? bits - 1 - position : position;
}

u32 reversed(u32 v) {
  v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
  v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
  v = (v >> 4 & 0x0F0F0F0F) | (v & 0x0F0F0F0F) << 4;
  return __builtin_bswap32(v);
}

u64 extracted(u64 a, u32 b, u32 c, bool is_signed) {
  const u32 at = b & 255, length = c & 255;
  if (length == 0) return 0;
  const u32 top = std::min(at + length - 1, 63u);
  const u64 sign = is_signed && (a >> top & 1) ? ~u64{0} : 0;
  const u64 value = at > 63 ? sign : is_signed ? static_cast<u64>(static_cast<s64>(a) >> at) : a >> at;
  if (length > 63) return value;
  const u64 keep = (u64{1} << length) - 1;
  return (value & keep) | (sign & ~keep);
}

void add_bits(EntryList &l) {
  add1<u32, u32>(l, "brev.b32", [](u32 a) { return reversed(a); });
  add1<u64, u64>(l, "brev.b64", [](u64 a) {
    return u64{reversed(static_cast<u32>(a))} << 32 | reversed(static_cast<u32>(a >> 32));
  });
  add1<u32, u32>(l, "bfind.u32", [](u32 a) { return find_top(a, false); });
  add1<u32, s32>(l, "bfind.s32", [](s32 a) { return find_top(a, false); });
  add1<u32, u64>(l, "bfind.u64", [](u64 a) { return find_top(a, false); });
  add1<u32, s64>(l, "bfind.s64", [](s64 a) { return find_top(a, false); });
  add1<u32, u32>(l, "bfind.shiftamt.u32", [](u32 a) { return find_top(a, true); });
  add1<u32, s32>(l, "bfind.shiftamt.s32", [](s32 a) { return find_top(a, true); });
  add1<u32, u64>(l, "bfind.shiftamt.u64", [](u64 a) { return find_top(a, true); });
  add1<u32, s64>(l, "bfind.shiftamt.s64", [](s64 a) { return find_top(a, true); });
  add3<u64, u64, u32, u32>(l, "bfe.u64", [](u64 a, u32 b, u32 c) { return extracted(a, b, c, false); });
  add3<u64, u64, u32, u32>(l, "bfe.s64", [](u64 a, u32 b, u32 c) { return extracted(a, b, c, true); });
  constexpr Width w = Width::word, x = Width::wide;
  put(l, {"bfi.b32", &insert_field<u32>, w, w, w, w, w});
  put(l, {"bfi.b64", &insert_field<u64>, x, x, x, w, w});
  put(l, {"lop3.b32", &lookup3, w, w, w, w, w});
  add3<u32, u32, u32, u32>(l, "prmt.b32", [](u32 a, u32 b, u32 c) { return permuted(a, b, c); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.f4e",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[0][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.b4e",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[1][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.rc8",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[2][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.ecl",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[3][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.ecr",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[4][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.rc16",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[5][c & 3]); });
  add3<u32, u32, u32, u32>(l, "dp4a.u32.u32", [](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
    return c;
  });
  add3<u32, u32, u32, u32>(l, "dp4a.s32.s32", [](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; ++i)
      c += static_cast<u32>(static_cast<std::int8_t>(a >> 8 * i) * static_cast<std::int8_t>(b >> 8 * i));
    return c;
  });
}

template <class F>
u32 by_halves(u32 a, u32 b, F f) {
  return (f(a & 0xFFFF, b & 0xFFFF) & 0xFFFF) | f(a >> 16, b >> 16) << 16;
}
s32 signed_half(u32 half) {
  return static_cast<std::int16_t>(half);
}
/// dp2a: two 16-bit parts of a times the lower or upper two bytes of b.
template <bool a_signed, bool b_signed>
u32 dot2(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 2; ++i) {
    const u32 x = a >> 16 * i & 0xFFFF, y = b >> 8 * i & 0xFF;
    const s64 left = a_signed ? signed_half(x) : static_cast<s64>(x);
    const s64 right = b_signed ? static_cast<s64>(static_cast<std::int8_t>(y)) : static_cast<s64>(y);
    c += static_cast<u32>(left * right);
  }
  return c;
}
template <bool a_signed, bool b_signed>
void add_dot2(EntryList &l, const char *low, const char *high) {
  add3<u32, u32, u32, u32>(l, low, [](u32 a, u32 b, u32 c) { return dot2<a_signed, b_signed>(a, b, c); });
  add3<u32, u32, u32, u32>(l, high,
                           [](u32 a, u32 b, u32 c) { return dot2<a_signed, b_signed>(a, b >> 16, c); });
}

/// What cuda's __v functions become: sums of byte differences, and pairs of 16-bit integers.
void add_parts(EntryList &l) {
  add_dot2<false, false>(l, "dp2a.lo.u32.u32", "dp2a.hi.u32.u32");
  add_dot2<true, false>(l, "dp2a.lo.s32.u32", "dp2a.hi.s32.u32");
  add_dot2<false, true>(l, "dp2a.lo.u32.s32", "dp2a.hi.u32.s32");
  add_dot2<true, true>(l, "dp2a.lo.s32.s32", "dp2a.hi.s32.s32");
  add3<u32, u32, u32, u32>(l, "vabsdiff4.u32.u32.u32", [](u32 a, u32 b, u32) {
    u32 result = 0;
    for (int i = 0; i < 32; i += 8) {
      const u32 x = a >> i & 255, y = b >> i & 255;
      result |= (x > y ? x - y : y - x) << i;
    }
    return result;
  });
  add3<u32, u32, u32, u32>(l, "vabsdiff4.u32.u32.u32.add", [](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 32; i += 8) {
      const u32 x = a >> i & 255, y = b >> i & 255;
      c += x > y ? x - y : y - x;
    }
    return c;
  });
  const auto sum = [](u32 a, u32 b) { return by_halves(a, b, [](u32 x, u32 y) { return x + y; }); };
  add2<u32, u32, u32>(l, "add.u16x2", sum);
  add2<u32, u32, u32>(l, "add.s16x2", sum);
  add2<u32, u32, u32>(l, "min.u16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) { return x < y ? x : y; });
  });
  add2<u32, u32, u32>(l, "max.u16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) { return x > y ? x : y; });
  });
  add2<u32, u32, u32>(l, "min.s16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) { return signed_half(x) < signed_half(y) ? x : y; });
  });
  add2<u32, u32, u32>(l, "max.s16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) { return signed_half(x) > signed_half(y) ? x : y; });
  });
}

// 16-bit compares: only the low half of a lane counts.
template <class F>
void compare_halves(const Op &op, Context &context) {
  u32 mask = 0;
  for (int i = 0; i < 32; ++i)
    if (F{}(in<u32>(context, op.a, i), in<u32>(context, op.b, i))) mask |= 1u << i;
  std::memcpy(context.rows + op.d, &mask, 4);
}
template <class F>
void add_compare(EntryList &l, const char *name, F) {
  put(l, {name, &compare_halves<F>, Width::predicate, Width::word, Width::word});
}
#define WARPGRADE_COMPARE(name, type, expression)                           \
  add_compare(l, name, [](u32 first, u32 second) {                          \
    const auto a = static_cast<type>(first), b = static_cast<type>(second); \
    return expression;                                                      \
  })
void add_compares(EntryList &l) {
  WARPGRADE_COMPARE("setp.eq.u16", std::uint16_t, a == b);
  WARPGRADE_COMPARE("setp.ne.u16", std::uint16_t, a != b);
  WARPGRADE_COMPARE("setp.lt.u16", std::uint16_t, a < b);
  WARPGRADE_COMPARE("setp.le.u16", std::uint16_t, a <= b);
  WARPGRADE_COMPARE("setp.gt.u16", std::uint16_t, a > b);
  WARPGRADE_COMPARE("setp.ge.u16", std::uint16_t, a >= b);
  WARPGRADE_COMPARE("setp.eq.s16", std::int16_t, a == b);
  WARPGRADE_COMPARE("setp.ne.s16", std::int16_t, a != b);
  WARPGRADE_COMPARE("setp.lt.s16", std::int16_t, a < b);
  WARPGRADE_COMPARE("setp.le.s16", std::int16_t, a <= b);
  WARPGRADE_COMPARE("setp.gt.s16", std::int16_t, a > b);
  WARPGRADE_COMPARE("setp.ge.s16", std::int16_t, a >= b);
}
#undef WARPGRADE_COMPARE

float canonical(float value) {
  return value == value ? value : std::bit_cast<float>(0x7FFFFFFFu);
}
float flushed(float value) {
  const u32 bits = std::bit_cast<u32>(value);
  return (bits & 0x7F800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : value;
}
/// Approximations: computed in double, so at least as good as the hardware's; the last bits may differ.
template <bool flush, class F>
void approximate(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    const float a = in<float>(context, op.a, i);
    const float value = canonical(static_cast<float>(F{}(static_cast<double>(flush ? flushed(a) : a))));
    out(context, op.d, i, flush ? flushed(value) : value);
  }
}
template <class F>
void add_approximate(EntryList &l, const char *name, const char *flush_name, F) {
  put(l, {name, &approximate<false, F>, Width::word, Width::word});
  put(l, {flush_name, &approximate<true, F>, Width::word, Width::word});
}
void add_approximations(EntryList &l) {
  add_approximate(l, "ex2.approx.f32", "ex2.approx.ftz.f32", [](double x) { return std::exp2(x); });
  add_approximate(l, "lg2.approx.f32", "lg2.approx.ftz.f32", [](double x) { return std::log2(x); });
  add_approximate(l, "sin.approx.f32", "sin.approx.ftz.f32", [](double x) { return std::sin(x); });
  add_approximate(l, "cos.approx.f32", "cos.approx.ftz.f32", [](double x) { return std::cos(x); });
  add_approximate(l, "tanh.approx.f32", "tanh.approx.ftz.f32", [](double x) { return std::tanh(x); });
  add_approximate(l, "rsqrt.approx.f32", "rsqrt.approx.ftz.f32", [](double x) { return 1.0 / std::sqrt(x); });
  add1<double, double>(l, "rsqrt.approx.f64", [](double x) { return 1.0 / std::sqrt(x); });
  // The f64 seeds keep only the upper 32 bits, as the Newton steps behind them expect.
  add1<u64, double>(l, "rcp.approx.ftz.f64", [](double x) {
    return std::bit_cast<u64>(std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(INFINITY, x) : 1.0 / x) &
           0xFFFFFFFF00000000;
  });
  add1<u64, double>(l, "rsqrt.approx.ftz.f64",
                    [](double x) { return std::bit_cast<u64>(1.0 / std::sqrt(x)) & 0xFFFFFFFF00000000; });
  add2<u32, u32, u32>(l, "copysign.f32", [](u32 a, u32 b) { return (b & 0x7FFFFFFF) | (a & 0x80000000); });
  add2<u64, u64, u64>(l, "copysign.f64",
                      [](u64 a, u64 b) { return (b & ~(u64{1} << 63)) | (a & (u64{1} << 63)); });
}

// Carries: add.cc sets the carry, addc uses it. Lanes keep their own; masked lanes keep theirs.
template <class T, int use, bool subtract>
void with_carry(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    if (!(context.mask >> i & 1)) continue;
    const T a = in<T>(context, op.a, i), b = in<T>(context, op.b, i);
    const T carry = (use & 1) ? context.carry[i] & 1 : 0;
    T result;
    bool over;
    if (subtract) {
      result = static_cast<T>(a - b - carry);
      over = a < b || (a == b && carry);
    } else {
      result = static_cast<T>(a + b + carry);
      over = result < a || (carry && result == a);
    }
    if (use & 2) context.carry[i] = over;
    out(context, op.d, i, result);
  }
}
/// mad{c}.{lo,hi}{.cc}: a * b + c with carry
template <bool high, int use>
void multiply_carry(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    if (!(context.mask >> i & 1)) continue;
    const u64 product = u64{in<u32>(context, op.a, i)} * in<u32>(context, op.b, i);
    const u64 sum = (high ? product >> 32 : product & 0xFFFFFFFF) + in<u32>(context, op.c, i) +
                    ((use & 1) ? context.carry[i] & 1 : 0);
    if (use & 2) context.carry[i] = sum >> 32 & 1;
    out(context, op.d, i, static_cast<u32>(sum));
  }
}
void add_carries(EntryList &l) {
  constexpr Width w = Width::word, x = Width::wide;
  put(l, {"add.cc.b32", &with_carry<u32, 2, false>, w, w, w});
  put(l, {"addc.b32", &with_carry<u32, 1, false>, w, w, w});
  put(l, {"addc.cc.b32", &with_carry<u32, 3, false>, w, w, w});
  put(l, {"sub.cc.b32", &with_carry<u32, 2, true>, w, w, w});
  put(l, {"subc.b32", &with_carry<u32, 1, true>, w, w, w});
  put(l, {"subc.cc.b32", &with_carry<u32, 3, true>, w, w, w});
  put(l, {"add.cc.b64", &with_carry<u64, 2, false>, x, x, x});
  put(l, {"addc.b64", &with_carry<u64, 1, false>, x, x, x});
  put(l, {"addc.cc.b64", &with_carry<u64, 3, false>, x, x, x});
  put(l, {"sub.cc.b64", &with_carry<u64, 2, true>, x, x, x});
  put(l, {"subc.b64", &with_carry<u64, 1, true>, x, x, x});
  put(l, {"subc.cc.b64", &with_carry<u64, 3, true>, x, x, x});
  put(l, {"mad.lo.cc.u32", &multiply_carry<false, 2>, w, w, w, w});
  put(l, {"mad.hi.cc.u32", &multiply_carry<true, 2>, w, w, w, w});
  put(l, {"madc.lo.u32", &multiply_carry<false, 1>, w, w, w, w});
  put(l, {"madc.hi.u32", &multiply_carry<true, 1>, w, w, w, w});
  put(l, {"madc.lo.cc.u32", &multiply_carry<false, 3>, w, w, w, w});
  put(l, {"madc.hi.cc.u32", &multiply_carry<true, 3>, w, w, w, w});
}

}  // namespace

/// {d, b, c, e} = parts of a; immediate: bytes of a part, number of parts << 8, used parts << 16, bytes of a
/// << 24
void unpack(const Op &op, Context &context) {
  const u32 bytes = op.immediate & 255, parts = op.immediate >> 8 & 255, used = op.immediate >> 16 & 255;
  const bool wide = (op.immediate >> 24 & 255) == 8;
  const Ref rows[4] = {op.d, op.b, op.c, op.e};
  for (u32 rest = context.mask; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const u64 value = wide ? in<u64>(context, op.a, lane) : in<u32>(context, op.a, lane);
    for (u32 k = 0; k < parts; ++k) {
      const u64 part = bytes == 8 ? value : value >> 8 * bytes * k & ((u64{1} << 8 * bytes) - 1);
      if (used >> k & 1) out(context, rows[k], lane, static_cast<u32>(part));
    }
  }
}

/// d = {a, b, c, e}; immediate: bytes of a part, number of parts << 8, bytes of d << 24
void pack(const Op &op, Context &context) {
  const u32 bytes = op.immediate & 255, parts = op.immediate >> 8 & 255;
  const bool wide = (op.immediate >> 24 & 255) == 8;
  const Ref rows[4] = {op.a, op.b, op.c, op.e};
  for (u32 rest = context.mask; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    u64 value = 0;
    for (u32 k = 0; k < parts; ++k)
      value |= (u64{in<u32>(context, rows[k], lane)} & ((u64{1} << 8 * bytes) - 1)) << 8 * bytes * k;
    if (wide)
      out(context, op.d, lane, value);
    else
      out(context, op.d, lane, static_cast<u32>(value));
  }
}

void add_rare_handlers(EntryList &list) {
  add_bits(list);
  add_parts(list);
  add_compares(list);
  add_approximations(list);
  add_carries(list);
}

}  // namespace warpgrade::simt
