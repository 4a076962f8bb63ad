// Conversions to and from tf32 and the two 8-bit formats.
#include <bit>
#include <cmath>

#include "machine/instructions/scalar.hpp"

namespace warpgrade::simt {
namespace {

using u32 = std::uint32_t;

/// A format of 8 bits. e4m3 has no infinity: of its largest exponent only the mantissa of all ones is NaN.
struct Byte {
  int mantissa, bias;
  u32 largest, nan;
};
constexpr Byte e4m3{3, 7, 0x7E, 0x7F}, e5m2{2, 15, 0x7B, 0x7F};

/// To nearest, ties to even; a value out of range becomes the largest number.
template <bool relu>
u32 to_byte(double value, const Byte &format) {
  if (value != value) return format.nan;
  if (relu && !(value > 0)) return 0;
  const u32 sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return sign | format.largest;
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent));
  const double leading = static_cast<double>(1 << format.mantissa);
  if (units < leading) return sign | static_cast<u32>(units);
  const double bits = std::ldexp(exponent + format.bias, format.mantissa) + (units - leading);
  return sign | (bits > format.largest ? format.largest : static_cast<u32>(bits));
}

u32 byte_to_half(u32 byte, const Byte &format) {
  const u32 sign = (byte & 0x80) << 8, bits = byte & 0x7F;
  if (bits > format.largest) {  // e5m2 has infinities
    const bool infinite = &format == &e5m2 && bits == format.largest + 1;
    return infinite ? sign | 0x7C00 : 0x7FFF;
  }
  const u32 exponent = bits >> format.mantissa, fraction = bits & ((1u << format.mantissa) - 1);
  const double units = exponent == 0 ? fraction : fraction + (1u << format.mantissa);
  const int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias - format.mantissa;
  return sign | double_to_half(std::ldexp(units, scale), Rounding::nearest);
}

template <bool relu>
u32 byte_pair_to_halves(u32 pair, const Byte &format) {
  u32 low = byte_to_half(pair & 0xFF, format), high = byte_to_half(pair >> 8 & 0xFF, format);
  if (relu && low & 0x8000) low = 0;
  if (relu && high & 0x8000) high = 0;
  return low | high << 16;
}

template <const Byte &format>
void add_byte(EntryList &l, const char *const (&names)[6]) {
  add2<u32, float, float>(l, names[0], [](float a, float b) {
    return to_byte<false>(a, format) << 8 | to_byte<false>(b, format);
  });
  add2<u32, float, float>(
      l, names[1], [](float a, float b) { return to_byte<true>(a, format) << 8 | to_byte<true>(b, format); });
  add1<u32, u32>(l, names[2], [](u32 a) {
    return to_byte<false>(half_to_float(a >> 16), format) << 8 |
           to_byte<false>(half_to_float(a & 0xFFFF), format);
  });
  add1<u32, u32>(l, names[3], [](u32 a) {
    return to_byte<true>(half_to_float(a >> 16), format) << 8 |
           to_byte<true>(half_to_float(a & 0xFFFF), format);
  });
  add1<u32, u32>(l, names[4], [](u32 a) { return byte_pair_to_halves<false>(a, format); });
  add1<u32, u32>(l, names[5], [](u32 a) { return byte_pair_to_halves<true>(a, format); });
}

/// 10 bits of mantissa in the upper 19 bits of a float.
template <Rounding rounding, bool relu>
u32 to_tf32(u32 bits) {
  const u32 magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return rounding == Rounding::nearest_away ? bits & 0xFFFFE000 : 0x7FFFE000;
  if (relu && bits & 0x80000000) return 0;
  if (magnitude == 0x7F800000) return bits;
  const u32 added = rounding == Rounding::nearest        ? 0xFFF + (bits >> 13 & 1)
                    : rounding == Rounding::nearest_away ? 0x1000
                                                         : 0;
  return (bits + added) & 0xFFFFE000;
}
template <Rounding rounding>
void add_tf32(EntryList &l, const char *name, const char *relu_name) {
  add1<u32, u32>(l, name, [](u32 a) { return to_tf32<rounding, false>(a); });
  if (relu_name) add1<u32, u32>(l, relu_name, [](u32 a) { return to_tf32<rounding, true>(a); });
}

}  // namespace

void add_narrow_handlers(EntryList &list) {
  add_byte<e4m3>(list, {"cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.relu.e4m3x2.f32",
                        "cvt.rn.satfinite.e4m3x2.f16x2", "cvt.rn.satfinite.relu.e4m3x2.f16x2",
                        "cvt.rn.f16x2.e4m3x2", "cvt.rn.relu.f16x2.e4m3x2"});
  add_byte<e5m2>(list, {"cvt.rn.satfinite.e5m2x2.f32", "cvt.rn.satfinite.relu.e5m2x2.f32",
                        "cvt.rn.satfinite.e5m2x2.f16x2", "cvt.rn.satfinite.relu.e5m2x2.f16x2",
                        "cvt.rn.f16x2.e5m2x2", "cvt.rn.relu.f16x2.e5m2x2"});
  add_tf32<Rounding::nearest_away>(list, "cvt.rna.tf32.f32", nullptr);
  add_tf32<Rounding::nearest>(list, "cvt.rn.tf32.f32", "cvt.rn.relu.tf32.f32");
  add_tf32<Rounding::zero>(list, "cvt.rz.tf32.f32", "cvt.rz.relu.tf32.f32");
}

}  // namespace warpgrade::simt
