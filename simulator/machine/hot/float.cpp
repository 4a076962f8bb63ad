// Floating point that the hardware rounds exactly, so we can match it bit for bit. No contraction (a build
// flag): only fma fuses. A NaN result of f32 arithmetic is always 0x7fffffff.
#include "machine/hot/lanes.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {
namespace {

using f32 = float;
using f64 = double;

inline u32 bits(f32 value) {
  return __builtin_bit_cast(u32, value);
}
inline f32 from_bits(u32 value) {
  return __builtin_bit_cast(f32, value);
}
inline f32 canonical(f32 value) {
  return value == value ? value : from_bits(0x7FFFFFFF);
}
/// Denormals become zeros of the same sign.
inline f32 flushed(f32 value) {
  return (bits(value) & 0x7F800000) == 0 ? from_bits(bits(value) & 0x80000000) : value;
}
/// To [0, 1]; NaN becomes 0.
inline f32 saturated(f32 value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

template <bool flush>
inline f32 in(f32 value) {
  return flush ? flushed(value) : value;
}
template <bool flush, bool saturate>
inline f32 out(f32 value) {
  const f32 kept = canonical(flush ? flushed(value) : value);
  return saturate ? saturated(kept) : kept;
}

inline f32 smaller(f32 a, f32 b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  if (a == b) return bits(a) & 0x80000000 ? a : b;  // -0 is below +0
  return a < b ? a : b;
}
inline f32 larger(f32 a, f32 b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  if (a == b) return bits(a) & 0x80000000 ? b : a;
  return a > b ? a : b;
}
inline f32 nan_or(f32 a, f32 b, f32 value) {
  return a == a && b == b ? value : from_bits(0x7FFFFFFF);
}

template <bool flush, bool saturate>
void add_arithmetic(EntryList &l, const char *add, const char *sub, const char *mul, const char *fma) {
  add2<f32, f32, f32>(l, add, [](f32 a, f32 b) { return out<flush, saturate>(in<flush>(a) + in<flush>(b)); });
  add2<f32, f32, f32>(l, sub, [](f32 a, f32 b) { return out<flush, saturate>(in<flush>(a) - in<flush>(b)); });
  add2<f32, f32, f32>(l, mul, [](f32 a, f32 b) { return out<flush, saturate>(in<flush>(a) * in<flush>(b)); });
  add3<f32, f32, f32, f32>(l, fma, [](f32 a, f32 b, f32 c) {
    return out<flush, saturate>(__builtin_fmaf(in<flush>(a), in<flush>(b), in<flush>(c)));
  });
}

/// a b - c and c - a b, which products and differences become (contract.hpp).
template <bool flush>
void add_differences(EntryList &l, const char *fms, const char *fnma) {
  add3<f32, f32, f32, f32>(l, fms, [](f32 a, f32 b, f32 c) {
    return out<flush, false>(__builtin_fmaf(in<flush>(a), in<flush>(b), -in<flush>(c)));
  });
  add3<f32, f32, f32, f32>(l, fnma, [](f32 a, f32 b, f32 c) {
    return out<flush, false>(__builtin_fmaf(-in<flush>(a), in<flush>(b), in<flush>(c)));
  });
}

template <bool flush>
void add_other(EntryList &l, const char *const (&names)[9]) {
  add2<f32, f32, f32>(l, names[0],
                      [](f32 a, f32 b) { return out<flush, false>(in<flush>(a) / in<flush>(b)); });
  add1<f32, f32>(l, names[1], [](f32 a) { return out<flush, false>(__builtin_sqrtf(in<flush>(a))); });
  add1<f32, f32>(l, names[2], [](f32 a) { return out<flush, false>(1.0f / in<flush>(a)); });
  add2<f32, f32, f32>(l, names[3], [](f32 a, f32 b) { return smaller(in<flush>(a), in<flush>(b)); });
  add2<f32, f32, f32>(l, names[4], [](f32 a, f32 b) { return larger(in<flush>(a), in<flush>(b)); });
  add2<f32, f32, f32>(l, names[5],
                      [](f32 a, f32 b) { return nan_or(a, b, smaller(in<flush>(a), in<flush>(b))); });
  add2<f32, f32, f32>(l, names[6],
                      [](f32 a, f32 b) { return nan_or(a, b, larger(in<flush>(a), in<flush>(b))); });
  // The hardware adds a zero, which makes one NaN of all.
  add1<u32, f32>(l, names[7], [](f32 a) { return a == a ? bits(in<flush>(a)) ^ 0x80000000 : 0x7FFFFFFF; });
  add1<u32, f32>(l, names[8], [](f32 a) { return a == a ? bits(in<flush>(a)) & 0x7FFFFFFF : 0x7FFFFFFF; });
}

inline u64 bits(f64 value) {
  return __builtin_bit_cast(u64, value);
}
/// NaNs keep their payload: that of the last operand that is one, made quiet.
inline f64 carried(f64 a, f64 b, f64 value) {
  const u64 nan = (b != b ? bits(b) : a != a ? bits(a) : 0xFFF0000000000000) | 0x0008000000000000;
  return value == value ? value : __builtin_bit_cast(f64, nan);
}
inline f64 carried(f64 a, f64 value) {
  return carried(a, a, value);
}

inline f64 smaller(f64 a, f64 b) {
  if (a != a) return carried(a, b, b);
  if (b != b) return a;
  if (a == b) return __builtin_signbit(a) ? a : b;
  return a < b ? a : b;
}
inline f64 larger(f64 a, f64 b) {
  if (a != a) return carried(a, b, b);
  if (b != b) return a;
  if (a == b) return __builtin_signbit(a) ? b : a;
  return a > b ? a : b;
}

void add_double(EntryList &l) {
  add2<f64, f64, f64>(l, "add.f64", [](f64 a, f64 b) { return carried(a, b, a + b); });
  add2<f64, f64, f64>(l, "sub.f64", [](f64 a, f64 b) { return carried(a, b, a - b); });
  add2<f64, f64, f64>(l, "mul.f64", [](f64 a, f64 b) { return carried(a, b, a * b); });
  add3<f64, f64, f64, f64>(
      l, "fma.f64", [](f64 a, f64 b, f64 c) { return carried(c == c ? a : c, b, __builtin_fma(a, b, c)); });
  add3<f64, f64, f64, f64>(
      l, "fms.f64", [](f64 a, f64 b, f64 c) { return carried(c == c ? a : c, b, __builtin_fma(a, b, -c)); });
  add3<f64, f64, f64, f64>(
      l, "fnma.f64", [](f64 a, f64 b, f64 c) { return carried(c == c ? a : c, b, __builtin_fma(-a, b, c)); });
  add2<f64, f64, f64>(l, "div.f64", [](f64 a, f64 b) { return carried(b, a, a / b); });
  add1<f64, f64>(l, "sqrt.f64", [](f64 a) { return carried(a, __builtin_sqrt(a)); });
  add1<f64, f64>(l, "rcp.f64", [](f64 a) { return carried(a, 1.0 / a); });
  add2<f64, f64, f64>(l, "min.f64", [](f64 a, f64 b) { return smaller(a, b); });
  add2<f64, f64, f64>(l, "max.f64", [](f64 a, f64 b) { return larger(a, b); });
  add1<f64, f64>(l, "neg.f64", [](f64 a) { return carried(a, -a); });
  add1<f64, f64>(l, "abs.f64", [](f64 a) { return carried(a, __builtin_fabs(a)); });
}

void add_float_conversions(EntryList &l) {
  add1<f32, s32>(l, "cvt.rn.f32.s32", [](s32 a) { return static_cast<f32>(a); });
  add1<f32, u32>(l, "cvt.rn.f32.u32", [](u32 a) { return static_cast<f32>(a); });
  add1<f64, s32>(l, "cvt.rn.f64.s32", [](s32 a) { return static_cast<f64>(a); });
  add1<f64, u32>(l, "cvt.rn.f64.u32", [](u32 a) { return static_cast<f64>(a); });
  add1<f64, f32>(l, "cvt.f64.f32", [](f32 a) {
    const u64 nan = 0x7FF8000000000000 | u64{bits(a) & 0x80000000} << 32 | u64{bits(a) & 0x007FFFFF} << 29;
    return a == a ? static_cast<f64>(a) : __builtin_bit_cast(f64, nan);
  });
  add1<f32, f64>(l, "cvt.rn.f32.f64", [](f64 a) {
    const u64 nan = 0x7FC00000 | (bits(a) >> 32 & 0x80000000) | (bits(a) >> 29 & 0x003FFFFF);
    return a == a ? static_cast<f32>(a) : from_bits(static_cast<u32>(nan));
  });
}

}  // namespace

void add_float_handlers(EntryList &list) {
  add_arithmetic<false, false>(list, "add.f32", "sub.f32", "mul.f32", "fma.f32");
  add_arithmetic<true, false>(list, "add.ftz.f32", "sub.ftz.f32", "mul.ftz.f32", "fma.ftz.f32");
  add_arithmetic<false, true>(list, "add.sat.f32", "sub.sat.f32", "mul.sat.f32", "fma.sat.f32");
  add_arithmetic<true, true>(list, "add.ftz.sat.f32", "sub.ftz.sat.f32", "mul.ftz.sat.f32",
                             "fma.ftz.sat.f32");
  add_other<false>(list, {"div.f32", "sqrt.f32", "rcp.f32", "min.f32", "max.f32", "min.NaN.f32",
                          "max.NaN.f32", "neg.f32", "abs.f32"});
  add_other<true>(list, {"div.ftz.f32", "sqrt.ftz.f32", "rcp.ftz.f32", "min.ftz.f32", "max.ftz.f32",
                         "min.ftz.NaN.f32", "max.ftz.NaN.f32", "neg.ftz.f32", "abs.ftz.f32"});
  add_differences<false>(list, "fms.f32", "fnma.f32");
  add_differences<true>(list, "fms.ftz.f32", "fnma.ftz.f32");
  add_double(list);
  add_float_conversions(list);
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
