#include "problem/element.hpp"

#include <cmath>
#include <limits>

#include "problem/random.hpp"

namespace warpgrade::problem {

namespace {

template <typename T>
double value_as(std::uint64_t bits) {
  T value{};
  std::memcpy(&value, &bits, sizeof(T));
  return static_cast<double>(value);
}

double value_of_half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1f);
  const auto fraction = static_cast<double>(bits & 0x3ff);
  double value = 0;
  if (exponent == 0x1f)
    value =
        fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(fraction, -24);
  else
    value = std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -value : value;
}

}  // namespace

std::uint64_t half_bits(float value) {
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double magnitude = std::fabs(static_cast<double>(value));
  constexpr double first_that_rounds_to_infinity = 65520, smallest_normal = 0x1p-14;
  if (magnitude >= first_that_rounds_to_infinity) return sign | 0x7c00;
  if (magnitude < smallest_normal)
    return sign | static_cast<std::uint64_t>(std::nearbyint(magnitude * 0x1p24));
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  // A fraction that rounds up to 1 carries into the exponent, as it should.
  const auto steps = static_cast<std::uint64_t>(std::nearbyint(fraction * 2048));
  return sign | ((static_cast<std::uint64_t>(exponent + 13) << 10) + steps);
}

std::uint64_t bfloat16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

std::uint64_t e4m3_bits(float value) {
  const std::uint64_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return sign | 0x7f;
  constexpr double largest = 448, smallest_normal = 0x1p-6;
  const double magnitude = std::fmin(std::fabs(static_cast<double>(value)), largest);
  if (magnitude < smallest_normal)
    return sign | static_cast<std::uint64_t>(std::nearbyint(magnitude * 0x1p9));
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  return sign | ((static_cast<std::uint64_t>(exponent + 5) << 3) +
                 static_cast<std::uint64_t>(std::nearbyint(fraction * 16)));
}

std::uint64_t encode(Type type, double value) {
  switch (type) {
    case Type::f32:
      return bits_of(static_cast<float>(value));
    case Type::f64:
      return bits_of(value);
    case Type::f16:
      return half_bits(static_cast<float>(value));
    case Type::bf16:
      return bfloat16_bits(static_cast<float>(value));
    case Type::e4m3:
      return e4m3_bits(static_cast<float>(value));
    default:
      break;
  }
  const auto whole = value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(value)))
                               : static_cast<std::uint64_t>(std::nearbyint(value));
  const std::size_t bits = 8 * bytes_of(type);
  return bits == 64 ? whole : whole & ((std::uint64_t{1} << bits) - 1);
}

double value_of(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::f32:
      return value_as<float>(bits);
    case Type::f64:
      return value_as<double>(bits);
    case Type::f16:
      return value_of_half(bits);
    case Type::bf16:
      return value_as<float>(bits << 16);
    case Type::e4m3:
      return (bits & 0x7f) == 0x7f ? std::numeric_limits<double>::quiet_NaN()
                                   : finite_e4m3(static_cast<std::uint8_t>(bits));
    case Type::i8:
      return value_as<std::int8_t>(bits);
    case Type::u8:
      return value_as<std::uint8_t>(bits);
    case Type::i16:
      return value_as<std::int16_t>(bits);
    case Type::u16:
      return value_as<std::uint16_t>(bits);
    case Type::i32:
      return value_as<std::int32_t>(bits);
    case Type::u32:
      return value_as<std::uint32_t>(bits);
    case Type::i64:
      return value_as<std::int64_t>(bits);
    case Type::u64:
      break;
  }
  return value_as<std::uint64_t>(bits);
}

}  // namespace warpgrade::problem
