// What the hardware only approximates, and tests and minima of floats that few programs use.
//
// Approximations are computed in double precision, so they are at least as good as the hardware's; their last
// bits may differ from it, by what simulator/tests/simt/corpus/bounds.hpp says of each.
#include <bit>
#include <cmath>

#include "machine/instructions/scalar.hpp"

namespace warpgrade::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 sign_bit = u64{1} << 63;

template <bool flush, class F>
void approximate(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    const auto a = lane_in<float>(context, op.a, i);
    const float value = canonical(static_cast<float>(F{}(static_cast<double>(flush ? flushed(a) : a))));
    lane_out(context, op.d, i, flush ? flushed(value) : value);
  }
}
template <class F>
void add_single(EntryList &l, const char *name, const char *flush_name, F) {
  put(l, {name, &approximate<false, F>, Width::word, Width::word});
  put(l, {flush_name, &approximate<true, F>, Width::word, Width::word});
}

/// One or two numbers of 16 bits.
template <class F>
void add_half(EntryList &l, const char *name, const char *pair_name, F) {
  const auto one = [](u32 a) { return double_to_half(F{}(half_to_float(a & 0xFFFF)), Rounding::nearest); };
  add1<u32, u32>(l, name, one);
  add1<u32, u32>(l, pair_name, [](u32 a) {
    return double_to_half(F{}(half_to_float(a & 0xFFFF)), Rounding::nearest) |
           double_to_half(F{}(half_to_float(a >> 16)), Rounding::nearest) << 16;
  });
}
template <class F>
void add_bfloat(EntryList &l, const char *name, const char *pair_name, F) {
  add1<u32, u32>(l, name,
                 [](u32 a) { return double_to_bfloat(F{}(bfloat_to_float(a & 0xFFFF)), Rounding::nearest); });
  add1<u32, u32>(l, pair_name, [](u32 a) {
    return double_to_bfloat(F{}(bfloat_to_float(a & 0xFFFF)), Rounding::nearest) |
           double_to_bfloat(F{}(bfloat_to_float(a >> 16)), Rounding::nearest) << 16;
  });
}

/// The hardware's sine and cosine take turns, not radians: they cannot restore what this multiplication loses
/// back.
double turns_of(double x) {
  const double exact = x * static_cast<double>(0.15915494f);
  float turns = static_cast<float>(exact);  // to be rounded towards zero
  if (std::fabs(static_cast<double>(turns)) > std::fabs(exact)) turns = std::nextafter(turns, 0.0f);
  return std::fmod(static_cast<double>(flushed(turns)), 1.0);
}
constexpr double turn = 6.283185307179586476925;

/// div.approx multiplies by an approximate reciprocal, which is 0 for divisors beyond 2^126.
template <bool flush>
float divide(float a, float b) {
  const float x = flush ? flushed(a) : a, y = flush ? flushed(b) : b;
  const float quotient = std::fabs(y) > 0x1p126f && !std::isinf(y) ? x * std::copysign(0.0f, y) : x / y;
  return canonical(flush ? flushed(quotient) : quotient);
}

using simt::flushed;  // which the overload below would hide
double flushed(double x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x;
}
/// The seeds of double precision have only the upper 32 bits, as the subsequent Newton steps expect.
u64 seed(double value) {
  return value == value ? std::bit_cast<u64>(flushed(value)) & 0xFFFFFFFF00000000 : 0x7FFFFFFF00000000;
}

void add_functions(EntryList &l) {
  const auto power = [](double x) { return std::exp2(x); };
  const auto tangent = [](double x) { return std::tanh(x); };
  add_single(l, "ex2.approx.f32", "ex2.approx.ftz.f32", power);
  add_single(l, "lg2.approx.f32", "lg2.approx.ftz.f32", [](double x) { return std::log2(x); });
  add_single(l, "sin.approx.f32", "sin.approx.ftz.f32",
             [](double x) { return std::sin(turn * turns_of(x)); });
  add_single(l, "cos.approx.f32", "cos.approx.ftz.f32",
             [](double x) { return std::cos(turn * turns_of(x)); });
  add_single(l, "tanh.approx.f32", "tanh.approx.ftz.f32", tangent);
  add_single(l, "rsqrt.approx.f32", "rsqrt.approx.ftz.f32", [](double x) { return 1.0 / std::sqrt(x); });
  add_half(l, "ex2.approx.f16", "ex2.approx.f16x2", power);
  add_half(l, "tanh.approx.f16", "tanh.approx.f16x2", tangent);
  add_bfloat(l, "ex2.approx.ftz.bf16", "ex2.approx.ftz.bf16x2",
             [](double x) { return static_cast<double>(flushed(static_cast<float>(std::exp2(x)))); });
  add_bfloat(l, "tanh.approx.bf16", "tanh.approx.bf16x2", tangent);
}

void add_seeds(EntryList &l) {
  add1<double, double>(l, "rsqrt.approx.f64",
                       [](double x) { return x == x && x >= 0 ? 1.0 / std::sqrt(x) : nan_of({x}); });
  add1<u64, double>(l, "rcp.approx.ftz.f64", [](double x) { return seed(1.0 / flushed(x)); });
  add1<u64, double>(l, "rsqrt.approx.ftz.f64", [](double x) { return seed(1.0 / std::sqrt(flushed(x))); });
  add2<float, float, float>(l, "div.approx.f32", [](float a, float b) { return divide<false>(a, b); });
  add2<float, float, float>(l, "div.approx.ftz.f32", [](float a, float b) { return divide<true>(a, b); });
}

void add_tests(EntryList &l) {
  add_test<float>(l, "testp.finite.f32", [](float x) { return std::isfinite(x); });
  add_test<float>(l, "testp.infinite.f32", [](float x) { return std::isinf(x); });
  add_test<float>(l, "testp.number.f32", [](float x) { return x == x; });
  add_test<float>(l, "testp.notanumber.f32", [](float x) { return x != x; });
  add_test<float>(l, "testp.normal.f32", [](float x) { return x == 0 || std::isnormal(x); });
  add_test<float>(l, "testp.subnormal.f32", [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; });
  add_test<double>(l, "testp.finite.f64", [](double x) { return std::isfinite(x); });
  add_test<double>(l, "testp.infinite.f64", [](double x) { return std::isinf(x); });
  add_test<double>(l, "testp.number.f64", [](double x) { return x == x; });
  add_test<double>(l, "testp.notanumber.f64", [](double x) { return x != x; });
  add_test<double>(l, "testp.normal.f64", [](double x) { return x == 0 || std::isnormal(x); });
  add_test<double>(l, "testp.subnormal.f64", [](double x) { return std::fpclassify(x) == FP_SUBNORMAL; });
}

/// {min,max}.xorsign.abs: the smaller or larger magnitude, with the product of the signs.
template <bool largest, bool flush, bool nan>
float signed_extreme(float first, float second) {
  const float a = flush ? flushed(first) : first, b = flush ? flushed(second) : second;
  if (nan && (a != a || b != b)) return std::bit_cast<float>(0x7FFFFFFFu);
  const u32 sign = (std::bit_cast<u32>(a) ^ std::bit_cast<u32>(b)) & 0x80000000;
  const float x = std::fabs(a), y = std::fabs(b);
  if (x != x && y != y) return std::bit_cast<float>(0x7FFFFFFFu);
  const float pick = x != x ? y : y != y ? x : (largest ? x > y : x < y) ? x : y;
  return std::bit_cast<float>(std::bit_cast<u32>(pick) | sign);
}
template <bool largest>
void add_signed(EntryList &l, const char *const (&names)[4]) {
  add2<float, float, float>(l, names[0],
                            [](float a, float b) { return signed_extreme<largest, false, false>(a, b); });
  add2<float, float, float>(l, names[1],
                            [](float a, float b) { return signed_extreme<largest, false, true>(a, b); });
  add2<float, float, float>(l, names[2],
                            [](float a, float b) { return signed_extreme<largest, true, false>(a, b); });
  add2<float, float, float>(l, names[3],
                            [](float a, float b) { return signed_extreme<largest, true, true>(a, b); });
}

void add_signs(EntryList &l) {
  add_signed<false>(l, {"min.xorsign.abs.f32", "min.NaN.xorsign.abs.f32", "min.ftz.xorsign.abs.f32",
                        "min.ftz.NaN.xorsign.abs.f32"});
  add_signed<true>(l, {"max.xorsign.abs.f32", "max.NaN.xorsign.abs.f32", "max.ftz.xorsign.abs.f32",
                       "max.ftz.NaN.xorsign.abs.f32"});
  add2<u32, u32, u32>(l, "copysign.f32", [](u32 a, u32 b) { return (b & 0x7FFFFFFF) | (a & 0x80000000); });
  add2<u64, u64, u64>(l, "copysign.f64", [](u64 a, u64 b) { return (b & ~sign_bit) | (a & sign_bit); });
}

}  // namespace

void add_approximate_handlers(EntryList &list) {
  add_functions(list);
  add_seeds(list);
  add_tests(list);
  add_signs(list);
}

}  // namespace warpgrade::simt
