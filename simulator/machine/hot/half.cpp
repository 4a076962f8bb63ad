// Half precision, as 16 bits in rows of 32: computed in single precision and rounded back once. Sums and
// products of two 11-bit numbers survive the double rounding by way of 24 bits; fma keeps the lost part in
// its last bit.
#include "machine/hot/lanes.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {
namespace {

using f32 = float;

constexpr u32 half_nan = 0x7FFF, single_nan = 0x7FFFFFFF;

inline u32 bits(f32 value) {
  return __builtin_bit_cast(u32, value);
}
inline f32 from_bits(u32 value) {
  return __builtin_bit_cast(f32, value);
}

/// The value of the low 16 bits; without branches and without denormal operands.
inline f32 widened(u32 half) {
  const u32 magnitude = (half & 0x7FFF) << 13, exponent = magnitude & 0x0F800000;
  const u32 rebiased = magnitude + ((127 - 15) << 23);
  const f32 denormal = from_bits(rebiased + (1u << 23)) - from_bits((127u - 14) << 23);
  u32 result = exponent == 0 ? bits(denormal) : rebiased;
  const u32 special = (half & 0x3FF) != 0 ? single_nan : 0x7F800000;
  result = exponent == 0x0F800000 ? special : result;
  const bool is_nan = (half & 0x7FFF) > 0x7C00;
  return from_bits(is_nan ? single_nan : result | (half & 0x8000) << 16);
}

/// To nearest, ties to even.
inline u32 narrowed(f32 value) {
  const u32 all = bits(value), magnitude = all & 0x7FFFFFFF, sign = all >> 16 & 0x8000;
  // Below 2^-14 the last place is 2^-24, that of 0.5 in single precision: the addition rounds.
  const u32 denormal = bits(from_bits(magnitude) + 0.5f) - 0x3F000000;
  const u32 normal = (magnitude - (112u << 23) + 0xFFF + (magnitude >> 13 & 1)) >> 13;
  u32 result = magnitude < (113u << 23) ? denormal : normal;
  result = magnitude >= 0x477FF000 ? 0x7C00 : result;  // 65520 and more
  return magnitude > 0x7F800000 ? half_nan : result | sign;
}

/// x * y + z with the last bit set where the sum is not exact, so that a second rounding is as good as one.
inline f32 fused(f32 x, f32 y, f32 z) {
  const f32 product = x * y;  // exact: 22 bits
  const f32 sum = product + z, part = sum - product;
  const f32 error = (product - (sum - part)) + (z - part);
  const u32 s = bits(sum);
  const bool odd_or_special = (s & 1) != 0 || (s & 0x7F800000) == 0x7F800000;
  const u32 below = (bits(error) ^ s) >> 31;  // the error points to zero
  return from_bits(error != 0 && !odd_or_special ? (s - below) | 1 : s);
}

inline u32 smaller(u32 a, u32 b) {
  const f32 x = widened(a), y = widened(b);
  const u32 first = x < y || (x == y && (a & 0x8000)) ? a : b;
  const u32 number = x == x ? a : y == y ? b : half_nan;
  return (x == x && y == y ? first : number) & 0xFFFF;
}
inline u32 larger(u32 a, u32 b) {
  const f32 x = widened(a), y = widened(b);
  const u32 first = x > y || (x == y && !(a & 0x8000)) ? a : b;
  const u32 number = x == x ? a : y == y ? b : half_nan;
  return (x == x && y == y ? first : number) & 0xFFFF;
}
inline u32 nan_or(u32 a, u32 b, u32 value) {
  return (a & 0x7FFF) > 0x7C00 || (b & 0x7FFF) > 0x7C00 ? half_nan : value;
}

// One function each for a half; a pair is two of them.
struct Add {
  u32 operator()(u32 a, u32 b) const { return narrowed(widened(a) + widened(b)); }
};
struct Sub {
  u32 operator()(u32 a, u32 b) const { return narrowed(widened(a) - widened(b)); }
};
struct Mul {
  u32 operator()(u32 a, u32 b) const { return narrowed(widened(a) * widened(b)); }
};
struct Fma {
  u32 operator()(u32 a, u32 b, u32 c) const { return narrowed(fused(widened(a), widened(b), widened(c))); }
};
struct Min {
  u32 operator()(u32 a, u32 b) const { return smaller(a, b); }
};
struct Max {
  u32 operator()(u32 a, u32 b) const { return larger(a, b); }
};
struct MinNan {
  u32 operator()(u32 a, u32 b) const { return nan_or(a, b, smaller(a, b)); }
};
struct MaxNan {
  u32 operator()(u32 a, u32 b) const { return nan_or(a, b, larger(a, b)); }
};
/// To [0, 1]; NaN becomes 0.
inline u32 saturated(u32 half) {
  const bool negative_or_nan = (half & 0x8000) != 0 || half > 0x7C00;
  const u32 most = half > 0x3C00 ? 0x3C00 : half;
  return negative_or_nan ? 0 : most;
}
inline u32 rectified(u32 half) {
  return (half & 0x8000) != 0 && half != half_nan ? 0 : half;
}
/// Denormals become zeros of the same sign.
inline u32 flushed(u32 half) {
  return (half & 0x7C00) == 0 ? half & 0x8000 : half;
}
template <class F>
struct Flushed {
  u32 operator()(u32 a, u32 b) const { return flushed(F{}(flushed(a), flushed(b))); }
  u32 operator()(u32 a, u32 b, u32 c) const { return flushed(F{}(flushed(a), flushed(b), flushed(c))); }
};
template <class F>
struct Saturated {
  u32 operator()(u32 a, u32 b) const { return saturated(F{}(a, b)); }
  u32 operator()(u32 a, u32 b, u32 c) const { return saturated(F{}(a, b, c)); }
};
template <class F>
struct Rectified {
  u32 operator()(u32 a, u32 b) const { return rectified(F{}(a, b)); }
  u32 operator()(u32 a, u32 b, u32 c) const { return rectified(F{}(a, b, c)); }
};

template <class F>
void both2(EntryList &l, const char *name, const char *pair_name) {
  add2<u32, u32, u32>(l, name, F{});
  add2<u32, u32, u32>(l, pair_name,
                      [](u32 a, u32 b) { return F{}(a & 0xFFFF, b & 0xFFFF) | F{}(a >> 16, b >> 16) << 16; });
}
template <class F>
void both3(EntryList &l, const char *name, const char *pair_name) {
  add3<u32, u32, u32, u32>(l, name, F{});
  add3<u32, u32, u32, u32>(l, pair_name, [](u32 a, u32 b, u32 c) {
    return F{}(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF) | F{}(a >> 16, b >> 16, c >> 16) << 16;
  });
}

template <class F>
void add_half_compare(EntryList &l, const char *name, F) {
  add_compare<u32>(l, name, [](u32 a, u32 b) { return F{}(widened(a), widened(b)); });
}

void add_conversions(EntryList &l) {
  add1<f32, u32>(l, "cvt.f32.f16", [](u32 a) { return widened(a); });
  add1<u32, f32>(l, "cvt.rn.f16.f32", [](f32 a) { return narrowed(a); });
  add2<u32, f32, f32>(l, "cvt.rn.f16x2.f32", [](f32 a, f32 b) { return narrowed(a) << 16 | narrowed(b); });
  add2<u32, u32, u32>(l, "pack.2x16", [](u32 a, u32 b) { return (a & 0xFFFF) | b << 16; });
  add1<u32, u32>(l, "low.16", [](u32 a) { return a & 0xFFFF; });
  add1<u32, u32>(l, "high.16", [](u32 a) { return a >> 16; });
}

inline u32 negated(u32 half) {
  return (half & 0x7FFF) > 0x7C00 ? half_nan : (half ^ 0x8000) & 0xFFFF;
}
inline u32 absolute(u32 half) {
  return (half & 0x7FFF) > 0x7C00 ? half_nan : half & 0x7FFF;
}
/// The smaller or larger magnitude, with the product of the signs.
template <class F>
struct Signed {
  u32 operator()(u32 a, u32 b) const {
    const u32 value = F{}(a & 0x7FFF, b & 0x7FFF);
    return value > 0x7C00 ? half_nan : value | ((a ^ b) & 0x8000);
  }
};

void add_arithmetic(EntryList &list) {
  both2<Add>(list, "add.f16", "add.f16x2");
  both2<Sub>(list, "sub.f16", "sub.f16x2");
  both2<Mul>(list, "mul.f16", "mul.f16x2");
  both3<Fma>(list, "fma.f16", "fma.f16x2");
  both2<Saturated<Add>>(list, "add.sat.f16", "add.sat.f16x2");
  both2<Saturated<Sub>>(list, "sub.sat.f16", "sub.sat.f16x2");
  both2<Saturated<Mul>>(list, "mul.sat.f16", "mul.sat.f16x2");
  both3<Saturated<Fma>>(list, "fma.sat.f16", "fma.sat.f16x2");
  both3<Rectified<Fma>>(list, "fma.relu.f16", "fma.relu.f16x2");
  both2<Min>(list, "min.f16", "min.f16x2");
  both2<Max>(list, "max.f16", "max.f16x2");
  both2<MinNan>(list, "min.NaN.f16", "min.NaN.f16x2");
  both2<MaxNan>(list, "max.NaN.f16", "max.NaN.f16x2");
  both2<Signed<Min>>(list, "min.xorsign.abs.f16", "min.xorsign.abs.f16x2");
  both2<Signed<Max>>(list, "max.xorsign.abs.f16", "max.xorsign.abs.f16x2");
  both2<Signed<MinNan>>(list, "min.NaN.xorsign.abs.f16", "min.NaN.xorsign.abs.f16x2");
  both2<Signed<MaxNan>>(list, "max.NaN.xorsign.abs.f16", "max.NaN.xorsign.abs.f16x2");
}

void add_flushed(EntryList &list) {
  both2<Flushed<Add>>(list, "add.ftz.f16", "add.ftz.f16x2");
  both2<Flushed<Sub>>(list, "sub.ftz.f16", "sub.ftz.f16x2");
  both2<Flushed<Mul>>(list, "mul.ftz.f16", "mul.ftz.f16x2");
  both3<Flushed<Fma>>(list, "fma.ftz.f16", "fma.ftz.f16x2");
  both2<Saturated<Flushed<Add>>>(list, "add.ftz.sat.f16", "add.ftz.sat.f16x2");
  both2<Saturated<Flushed<Sub>>>(list, "sub.ftz.sat.f16", "sub.ftz.sat.f16x2");
  both2<Saturated<Flushed<Mul>>>(list, "mul.ftz.sat.f16", "mul.ftz.sat.f16x2");
  both3<Saturated<Flushed<Fma>>>(list, "fma.ftz.sat.f16", "fma.ftz.sat.f16x2");
  both3<Rectified<Flushed<Fma>>>(list, "fma.ftz.relu.f16", "fma.ftz.relu.f16x2");
  both2<Flushed<Min>>(list, "min.ftz.f16", "min.ftz.f16x2");
  both2<Flushed<Max>>(list, "max.ftz.f16", "max.ftz.f16x2");
  both2<Flushed<MinNan>>(list, "min.ftz.NaN.f16", "min.ftz.NaN.f16x2");
  both2<Flushed<MaxNan>>(list, "max.ftz.NaN.f16", "max.ftz.NaN.f16x2");
  both2<Flushed<Signed<Min>>>(list, "min.ftz.xorsign.abs.f16", "min.ftz.xorsign.abs.f16x2");
  both2<Flushed<Signed<Max>>>(list, "max.ftz.xorsign.abs.f16", "max.ftz.xorsign.abs.f16x2");
  both2<Flushed<Signed<MinNan>>>(list, "min.ftz.NaN.xorsign.abs.f16", "min.ftz.NaN.xorsign.abs.f16x2");
  both2<Flushed<Signed<MaxNan>>>(list, "max.ftz.NaN.xorsign.abs.f16", "max.ftz.NaN.xorsign.abs.f16x2");
}

template <class F>
void both1(EntryList &l, const char *name, const char *pair_name, F) {
  add1<u32, u32>(l, name, [](u32 a) { return F{}(a & 0xFFFF); });
  add1<u32, u32>(l, pair_name, [](u32 a) { return F{}(a & 0xFFFF) | F{}(a >> 16) << 16; });
}
void add_signs(EntryList &list) {
  both1(list, "neg.f16", "neg.f16x2", [](u32 a) { return negated(a); });
  both1(list, "abs.f16", "abs.f16x2", [](u32 a) { return absolute(a); });
  both1(list, "neg.ftz.f16", "neg.ftz.f16x2", [](u32 a) { return negated(flushed(a)); });
  both1(list, "abs.ftz.f16", "abs.ftz.f16x2", [](u32 a) { return absolute(flushed(a)); });
  both1(list, "flush.f16", "flush.f16x2", [](u32 a) { return flushed(a); });
}

}  // namespace

void add_half_handlers(EntryList &list) {
  add_arithmetic(list);
  add_flushed(list);
  add_signs(list);
  add_half_compare(list, "setp.eq.f16", [](f32 a, f32 b) { return a == b; });
  add_half_compare(list, "setp.ne.f16", [](f32 a, f32 b) { return a < b || a > b; });
  add_half_compare(list, "setp.lt.f16", [](f32 a, f32 b) { return a < b; });
  add_half_compare(list, "setp.le.f16", [](f32 a, f32 b) { return a <= b; });
  add_half_compare(list, "setp.gt.f16", [](f32 a, f32 b) { return a > b; });
  add_half_compare(list, "setp.ge.f16", [](f32 a, f32 b) { return a >= b; });
  add_half_compare(list, "setp.equ.f16", [](f32 a, f32 b) { return !(a < b || a > b); });
  add_half_compare(list, "setp.neu.f16", [](f32 a, f32 b) { return a != b; });
  add_half_compare(list, "setp.ltu.f16", [](f32 a, f32 b) { return !(a >= b); });
  add_half_compare(list, "setp.leu.f16", [](f32 a, f32 b) { return !(a > b); });
  add_half_compare(list, "setp.gtu.f16", [](f32 a, f32 b) { return !(a <= b); });
  add_half_compare(list, "setp.geu.f16", [](f32 a, f32 b) { return !(a < b); });
  add_half_compare(list, "setp.num.f16", [](f32 a, f32 b) { return a == a && b == b; });
  add_half_compare(list, "setp.nan.f16", [](f32 a, f32 b) { return a != a || b != b; });
  add_conversions(list);
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
