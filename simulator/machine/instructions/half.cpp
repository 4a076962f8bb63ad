// Conversions in general, and bfloat: scalar, exact, not fast. Half precision proper is in hot/half.cpp.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "decode/handlers.hpp"

namespace warpgrade::simt {
namespace {

using ptx::Type;

/// A binary format below double, for rounding by hand.
struct Format {
  int mantissa, bias, max_exponent;
};
constexpr Format half_format{10, 15, 31}, bfloat_format{7, 127, 255};

std::uint32_t rounded(double value, Rounding rounding, const Format &format) {
  const std::uint32_t sign = std::signbit(value) ? 1u : 0u;
  const std::uint32_t sign_bit = sign << 15;
  const std::uint32_t infinity = static_cast<std::uint32_t>(format.max_exponent) << format.mantissa;
  if (std::isnan(value)) return 0x7FFF;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign_bit | infinity;
  if (magnitude == 0) return sign_bit;
  // The value in units of its last place, which denormals share.
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  const double units = std::ldexp(magnitude, format.mantissa - exponent);
  const double low = std::floor(units), rest = units - low;
  auto count = static_cast<std::uint64_t>(low);
  bool up = false;
  switch (rounding) {
    case Rounding::nearest:
      up = rest > 0.5 || (rest == 0.5 && (count & 1));
      break;
    case Rounding::nearest_away:
      up = rest >= 0.5;
      break;
    case Rounding::zero:
      break;
    case Rounding::down:
      up = sign && rest > 0;
      break;
    case Rounding::up:
      up = !sign && rest > 0;
      break;
  }
  count += up;
  // count = mantissa with its leading one: adding it carries into the exponent as it should.
  const std::uint64_t leading = 1ull << format.mantissa;
  const std::uint64_t bits =
      count < leading
          ? count
          : (static_cast<std::uint64_t>(exponent + format.bias) << format.mantissa) + count - leading;
  if (bits >= infinity) {
    const bool to_infinity = rounding == Rounding::nearest || rounding == Rounding::nearest_away ||
                             (rounding == Rounding::up && !sign) || (rounding == Rounding::down && sign);
    return sign_bit | (to_infinity ? infinity : infinity - 1);
  }
  return sign_bit | static_cast<std::uint32_t>(bits);
}

/// a * b + c with the error of the sum kept in the last bit, so that a second rounding to 16 bits is exact.
double fused_to_odd(double a, double b, double c) {
  const double product = a * b;  // exact: at most 22 bits
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1)) return sum;
  const bool towards_zero = (error < 0) != std::signbit(sum);
  return std::bit_cast<double>(towards_zero ? bits - 1 : bits + 1);
}

template <class F>
void for_lanes(const Op &op, Context &context, const F &f) {
  for (int lane = 0; lane < 32; ++lane) {
    const auto in = [&](Ref ref) {
      std::uint32_t value;
      std::memcpy(&value, context.base[ref & 1] + ref + lane * 4, 4);
      return value;
    };
    const std::uint32_t result = f(in(op.a), in(op.b), in(op.c));
    std::memcpy(context.rows + op.d + lane * 4, &result, 4);
  }
}

enum class Kind {
  add,
  sub,
  mul,
  fma,
  fma_relu,
  min,
  max,
  min_nan,
  max_nan,
  min_sign,
  max_sign,
  min_nan_sign,
  max_nan_sign,
  neg,
  abs
};

struct Half {
  static double in(std::uint32_t bits) { return half_to_float(bits & 0xFFFF); }
  static std::uint32_t out(double value) { return double_to_half(value, Rounding::nearest); }
};
struct Bfloat {
  static double in(std::uint32_t bits) { return bfloat_to_float(bits & 0xFFFF); }
  static std::uint32_t out(double value) { return double_to_bfloat(value, Rounding::nearest); }
};

template <class T, Kind kind>
std::uint32_t one(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const double x = T::in(a), y = T::in(b);
  switch (kind) {
    case Kind::add:
      return T::out(fused_to_odd(x, 1.0, y));
    case Kind::sub:
      return T::out(fused_to_odd(x, 1.0, -y));
    case Kind::mul:
      return T::out(x * y);
    case Kind::fma:
      return T::out(fused_to_odd(x, y, T::in(c)));
    case Kind::fma_relu: {
      const std::uint32_t sum = one<T, Kind::fma>(a, b, c);
      return sum & 0x8000 ? 0 : sum;
    }
    case Kind::min_nan:
      return x != x || y != y ? 0x7FFF : one<T, Kind::min>(a, b, c);
    case Kind::max_nan:
      return x != x || y != y ? 0x7FFF : one<T, Kind::max>(a, b, c);
    case Kind::min_sign:  // the smaller magnitude, with the product of the signs
      return x != x && y != y ? 0x7FFF : one<T, Kind::min>(a & 0x7FFF, b & 0x7FFF, c) | ((a ^ b) & 0x8000);
    case Kind::max_sign:
      return x != x && y != y ? 0x7FFF : one<T, Kind::max>(a & 0x7FFF, b & 0x7FFF, c) | ((a ^ b) & 0x8000);
    case Kind::min_nan_sign:
      return x != x || y != y ? 0x7FFF : one<T, Kind::min_sign>(a, b, c);
    case Kind::max_nan_sign:
      return x != x || y != y ? 0x7FFF : one<T, Kind::max_sign>(a, b, c);
    case Kind::min:
      if (x != x || y != y) return x == x ? a & 0xFFFF : y == y ? b & 0xFFFF : 0x7FFF;
      return (x < y || (x == y && std::signbit(x)) ? a : b) & 0xFFFF;
    case Kind::max:
      if (x != x || y != y) return x == x ? a & 0xFFFF : y == y ? b & 0xFFFF : 0x7FFF;
      return (x > y || (x == y && !std::signbit(x)) ? a : b) & 0xFFFF;
    case Kind::neg:
      return x != x ? 0x7FFF : (a ^ 0x8000) & 0xFFFF;
    case Kind::abs:
      return x != x ? 0x7FFF : a & 0x7FFF;
  }
  return 0;
}

template <class T, Kind kind>
void single(const Op &op, Context &context) {
  for_lanes(op, context, one<T, kind>);
}
template <class T, Kind kind>
void paired(const Op &op, Context &context) {
  for_lanes(op, context, [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return one<T, kind>(a, b, c) | one<T, kind>(a >> 16, b >> 16, c >> 16) << 16;
  });
}

template <class T, Kind kind>
void add_kind(EntryList &list, const char *name, const char *pair_name) {
  constexpr Width w = Width::word, none = Width::none;
  constexpr Width second = kind == Kind::neg || kind == Kind::abs ? none : w;
  constexpr Width third = kind == Kind::fma || kind == Kind::fma_relu ? w : none;
  list.entries[list.size++] = {name, &single<T, kind>, w, w, second, third};
  list.entries[list.size++] = {pair_name, &paired<T, kind>, w, w, second, third};
}

template <class T>
void add_extremes(EntryList &l, const char *const (&names)[8], const char *const (&pairs)[8]) {
  add_kind<T, Kind::min>(l, names[0], pairs[0]);
  add_kind<T, Kind::min_nan>(l, names[1], pairs[1]);
  add_kind<T, Kind::min_sign>(l, names[2], pairs[2]);
  add_kind<T, Kind::min_nan_sign>(l, names[3], pairs[3]);
  add_kind<T, Kind::max>(l, names[4], pairs[4]);
  add_kind<T, Kind::max_nan>(l, names[5], pairs[5]);
  add_kind<T, Kind::max_sign>(l, names[6], pairs[6]);
  add_kind<T, Kind::max_nan_sign>(l, names[7], pairs[7]);
}

// ---- cvt ----

bool is_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}
bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

int mode_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::zero:
      return FE_TOWARDZERO;
    case Rounding::down:
      return FE_DOWNWARD;
    case Rounding::up:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

double integral(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::zero:
      return std::trunc(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

/// float to integer: rounded, then clamped to the type; NaN as the PTX manual says.
std::uint64_t to_integer(double value, const Conversion &how) {
  const int bits = static_cast<int>(ptx::size_of(how.to)) * 8;
  if (std::isnan(value)) {
    if (how.from != Type::f64 && bits != 64) return 0;
    return 1ull << (bits - 1);
  }
  const double whole = integral(value, how.rounding);
  if (is_signed(how.to)) {
    const double limit = std::ldexp(1.0, bits - 1);
    if (whole >= limit) return (1ull << (bits - 1)) - 1;
    if (whole < -limit) return 0 - (1ull << (bits - 1));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  }
  if (whole <= 0) return 0;
  if (whole >= std::ldexp(1.0, bits)) return bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
  return static_cast<std::uint64_t>(whole);
}

std::uint64_t integer_to_integer(std::uint64_t value, const Conversion &how) {
  if (!how.saturate) return value;
  const int bits = static_cast<int>(ptx::size_of(how.to)) * 8;
  const bool negative = is_signed(how.from) && static_cast<std::int64_t>(value) < 0;
  if (is_signed(how.to)) {
    const std::uint64_t most = (1ull << (bits - 1)) - 1;
    if (negative)
      return static_cast<std::int64_t>(value) < -static_cast<std::int64_t>(most) - 1 ? 0 - most - 1 : value;
    return value > most ? most : value;
  }
  if (negative) return 0;
  const std::uint64_t most = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
  return value > most ? most : value;
}

std::uint64_t double_out(double value, const Conversion &how) {
  switch (how.to) {
    case Type::f16:
      return double_to_half(value, how.rounding);
    case Type::bf16:
      return double_to_bfloat(value, how.rounding);
    case Type::f64:
      return std::isnan(value) ? 0x7FFFFFFFFFFFFFFF : std::bit_cast<std::uint64_t>(value);
    default:
      break;
  }
  if (std::isnan(value)) return 0x7FFFFFFF;
  std::fesetround(mode_of(how.rounding));
  volatile float narrow = static_cast<float>(value);
  std::fesetround(FE_TONEAREST);
  auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(narrow));
  if (how.flush && (bits & 0x7F800000) == 0) bits &= 0x80000000;
  return bits;
}

std::uint64_t integer_to_float(std::uint64_t value, const Conversion &how) {
  const bool negative = is_signed(how.from) && static_cast<std::int64_t>(value) < 0;
  if (how.saturate) return double_out(negative || value == 0 ? 0.0 : 1.0, how);
  std::fesetround(mode_of(how.rounding));
  std::uint64_t result;
  if (how.to == Type::f64) {
    volatile double wide =
        negative ? static_cast<double>(static_cast<std::int64_t>(value)) : static_cast<double>(value);
    result = std::bit_cast<std::uint64_t>(static_cast<double>(wide));
  } else if (how.to == Type::f32) {
    volatile float narrow =
        negative ? static_cast<float>(static_cast<std::int64_t>(value)) : static_cast<float>(value);
    result = std::bit_cast<std::uint32_t>(static_cast<float>(narrow));
  } else {
    std::fesetround(
        FE_TOWARDZERO);  // beyond 53 bits the value overflows a half anyway, and bfloat is rounded to odd
    volatile double wide =
        negative ? static_cast<double>(static_cast<std::int64_t>(value)) : static_cast<double>(value);
    double exact = wide;
    const bool inexact = negative ? static_cast<std::int64_t>(exact) != static_cast<std::int64_t>(value)
                                  : static_cast<std::uint64_t>(exact) != value;
    if (inexact) exact = std::bit_cast<double>(std::bit_cast<std::uint64_t>(exact) | 1);
    std::fesetround(FE_TONEAREST);
    return double_out(exact, how);
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

double float_in(std::uint64_t raw, const Conversion &how) {
  switch (how.from) {
    case Type::f16:
      return half_to_float(static_cast<std::uint32_t>(raw) & 0xFFFF);
    case Type::bf16:
      return bfloat_to_float(static_cast<std::uint32_t>(raw) & 0xFFFF);
    case Type::f64:
      return std::bit_cast<double>(raw);
    default:
      break;
  }
  auto bits = static_cast<std::uint32_t>(raw);
  if (how.flush && how.to != Type::f16 && (bits & 0x7F800000) == 0) bits &= 0x80000000;
  return std::bit_cast<float>(bits);
}

/// What becomes of a NaN: double precision and the upper half of a float keep what it carries, the rest does
/// not.
std::uint64_t converted_nan(std::uint64_t raw, const Conversion &how) {
  std::uint64_t wide = 0;  // as a double
  switch (how.from) {
    case Type::f16:
      wide = (raw & 0x8000) << 48 | 0x7FF0000000000000 | (raw & 0x3FF) << 42;
      break;
    case Type::bf16:
      if (how.to == Type::f32) return raw << 16;
      wide = (raw & 0x8000) << 48 | 0x7FF0000000000000 | (raw & 0x7F) << 45;
      break;
    case Type::f32:
      if (how.flush) raw = 0x7FFFFFFF;
      wide = (raw & 0x80000000) << 32 | 0x7FF0000000000000 | (raw & 0x7FFFFF) << 29;
      break;
    default:
      wide = raw;
  }
  wide |= 0x0008000000000000;
  if (how.to == Type::f64) return wide;
  if (how.from != Type::f64) return how.to == Type::f32 ? 0x7FFFFFFF : 0x7FFF;
  const std::uint64_t single = (wide >> 32 & 0x80000000) | 0x7F800000 | (wide >> 29 & 0x7FFFFF);
  if (how.to == Type::f32) return single;
  return how.to == Type::bf16 ? single >> 16 : (single >> 16 & 0x8000) | 0x7C00 | (single >> 13 & 0x3FF);
}

std::uint64_t converted(std::uint64_t raw, const Conversion &how) {
  if (!is_float(how.from)) {
    const int unused = 64 - 8 * static_cast<int>(ptx::size_of(how.from));
    raw = is_signed(how.from) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused)
                              : raw << unused >> unused;
    return is_float(how.to) ? integer_to_float(raw, how) : integer_to_integer(raw, how);
  }
  double value = float_in(raw, how);
  if (!is_float(how.to)) return to_integer(value, how);
  if (std::isnan(value) && !how.saturate) return converted_nan(raw, how);
  if (how.to_integral) value = integral(value, how.rounding);
  if (how.saturate) value = value > 0 ? std::min(value, 1.0) : 0.0;
  if (how.relu && !(value > 0)) value = 0;
  return double_out(value, how);
}

}  // namespace

float half_to_float(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const float sign = bits & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31)
    return mantissa ? std::bit_cast<float>(0x7FFFFFFFu) : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa | 1024), static_cast<int>(exponent) - 25);
}
float bfloat_to_float(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}
std::uint32_t double_to_half(double value, Rounding rounding) {
  return rounded(value, rounding, half_format);
}
std::uint32_t double_to_bfloat(double value, Rounding rounding) {
  return rounded(value, rounding, bfloat_format);
}

std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
  return one<Half, Kind::add>(a, b, 0);
}
std::uint32_t add_bfloats(std::uint32_t a, std::uint32_t b) {
  return one<Bfloat, Kind::add>(a, b, 0);
}

void convert(const Op &op, Context &context) {
  Conversion how;
  how.to = static_cast<Type>(op.immediate & 255);
  how.from = static_cast<Type>(op.immediate >> 8 & 255);
  how.rounding = static_cast<Rounding>(op.immediate >> 16 & 255);
  how.to_integral = op.immediate >> 24 & 1;
  how.saturate = op.immediate >> 25 & 1;
  how.flush = op.immediate >> 26 & 1;
  how.relu = op.immediate >> 27 & 1;
  // cvt.f16x2.f32 d, a, b: a in the upper half
  const bool pair = how.to == Type::f16x2 || how.to == Type::bf16x2;
  if (pair) how.to = how.to == Type::f16x2 ? Type::f16 : Type::bf16;
  const std::uint32_t in = op.immediate >> 33 & 1 ? 8 : 4;  // bytes of a source register's lane
  const bool wide = op.immediate >> 32 & 1;                 // the destination register is 64 bits wide
  const std::uint32_t keep = ptx::size_of(how.to);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const auto read = [&](Ref ref) {
      std::uint64_t raw = 0;
      std::memcpy(&raw, context.base[ref & 1] + ref + lane * in, in);
      return raw;
    };
    std::uint64_t value = converted(read(op.a), how);
    if (pair)
      value = value << 16 | converted(read(op.b), how);
    else if (keep < 4 && !is_signed(how.to))
      value &= (1ull << 8 * keep) - 1;
    else if (keep < 4) {
      const std::uint32_t unused = 64 - 8 * keep;
      value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
    }
    if (wide)
      std::memcpy(context.rows + op.d + lane * 8, &value, 8);
    else
      std::memcpy(context.rows + op.d + lane * 4, &value, 4);
  }
}

void add_bfloat_handlers(EntryList &list) {
  add_kind<Bfloat, Kind::add>(list, "add.bf16", "add.bf16x2");
  add_kind<Bfloat, Kind::sub>(list, "sub.bf16", "sub.bf16x2");
  add_kind<Bfloat, Kind::mul>(list, "mul.bf16", "mul.bf16x2");
  add_kind<Bfloat, Kind::fma>(list, "fma.bf16", "fma.bf16x2");
  add_kind<Bfloat, Kind::fma_relu>(list, "fma.relu.bf16", "fma.relu.bf16x2");
  add_extremes<Bfloat>(
      list,
      {"min.bf16", "min.NaN.bf16", "min.xorsign.abs.bf16", "min.NaN.xorsign.abs.bf16", "max.bf16",
       "max.NaN.bf16", "max.xorsign.abs.bf16", "max.NaN.xorsign.abs.bf16"},
      {"min.bf16x2", "min.NaN.bf16x2", "min.xorsign.abs.bf16x2", "min.NaN.xorsign.abs.bf16x2", "max.bf16x2",
       "max.NaN.bf16x2", "max.xorsign.abs.bf16x2", "max.NaN.xorsign.abs.bf16x2"});
  add_kind<Bfloat, Kind::neg>(list, "neg.bf16", "neg.bf16x2");
  add_kind<Bfloat, Kind::abs>(list, "abs.bf16", "abs.bf16x2");
}

}  // namespace warpgrade::simt
