// What the hardware only approximates, and tests and minima of floats that few programs use.
//
// Approximations are computed in double precision, so they are at least as good as the hardware's; their last bits
// may differ from it, by what grader/tests/simt/corpus/bounds.hpp says of each.
#include <bit>
#include <cmath>

#include "simt/scalar.hpp"

namespace warpgrade::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 sign_bit = u64{1} << 63, double_nan = 0x7FFFFFFFFFFFFFFF;

float canonical(float value) {
  return value == value ? value : std::bit_cast<float>(0x7FFFFFFFu);
}
float flushed(float value) {
  const u32 bits = std::bit_cast<u32>(value);
  return (bits & 0x7F800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : value;
}

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
  add1<u32, u32>(l, name, [](u32 a) {
    return double_to_bfloat(F{}(bfloat_to_float(a & 0xFFFF)), Rounding::nearest);
  });
  add1<u32, u32>(l, pair_name, [](u32 a) {
    return double_to_bfloat(F{}(bfloat_to_float(a & 0xFFFF)), Rounding::nearest) |
           double_to_bfloat(F{}(bfloat_to_float(a >> 16)), Rounding::nearest) << 16;
  });
}

void add_functions(EntryList &l) {
  const auto power = [](double x) { return std::exp2(x); };
  const auto tangent = [](double x) { return std::tanh(x); };
  add_single(l, "ex2.approx.f32", "ex2.approx.ftz.f32", power);
  add_single(l, "lg2.approx.f32", "lg2.approx.ftz.f32", [](double x) { return std::log2(x); });
  add_single(l, "sin.approx.f32", "sin.approx.ftz.f32", [](double x) { return std::sin(x); });
  add_single(l, "cos.approx.f32", "cos.approx.ftz.f32", [](double x) { return std::cos(x); });
  add_single(l, "tanh.approx.f32", "tanh.approx.ftz.f32", tangent);
  add_single(l, "rsqrt.approx.f32", "rsqrt.approx.ftz.f32", [](double x) { return 1.0 / std::sqrt(x); });
  add_half(l, "ex2.approx.f16", "ex2.approx.f16x2", power);
  add_half(l, "tanh.approx.f16", "tanh.approx.f16x2", tangent);
  add_bfloat(l, "ex2.approx.ftz.bf16", "ex2.approx.ftz.bf16x2", power);
  add_bfloat(l, "tanh.approx.bf16", "tanh.approx.bf16x2", tangent);
}

/// The f64 seeds keep only the upper 32 bits, as the Newton steps behind them expect.
void add_seeds(EntryList &l) {
  add1<double, double>(l, "rsqrt.approx.f64", [](double x) { return 1.0 / std::sqrt(x); });
  add1<u64, double>(l, "rcp.approx.ftz.f64", [](double x) {
    return std::bit_cast<u64>(std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(INFINITY, x) : 1.0 / x) &
           0xFFFFFFFF00000000;
  });
  add1<u64, double>(l, "rsqrt.approx.ftz.f64",
                    [](double x) { return std::bit_cast<u64>(1.0 / std::sqrt(x)) & 0xFFFFFFFF00000000; });
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
  add2<float, float, float>(l, names[0], [](float a, float b) { return signed_extreme<largest, false, false>(a, b); });
  add2<float, float, float>(l, names[1], [](float a, float b) { return signed_extreme<largest, false, true>(a, b); });
  add2<float, float, float>(l, names[2], [](float a, float b) { return signed_extreme<largest, true, false>(a, b); });
  add2<float, float, float>(l, names[3], [](float a, float b) { return signed_extreme<largest, true, true>(a, b); });
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
