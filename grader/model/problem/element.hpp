// The types that elements of an array may have, and their values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpgrade::problem {

enum class Type : std::uint8_t { f32, f64, f16, bf16, e4m3, i8, u8, i16, u16, i32, u32, i64, u64 };

constexpr std::size_t bytes_of(Type type) {
  switch (type) {
    case Type::e4m3:
    case Type::i8:
    case Type::u8:
      return 1;
    case Type::f16:
    case Type::bf16:
    case Type::i16:
    case Type::u16:
      return 2;
    case Type::f64:
    case Type::i64:
    case Type::u64:
      return 8;
    default:
      return 4;
  }
}

constexpr bool is_integer(Type type) {
  return type >= Type::i8;
}

/// The bits of an element in the lower bytes of a word: bits_of(1.5f), bits_of(std::uint8_t{7}).
template <typename T>
constexpr std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 1)
    return std::bit_cast<std::uint8_t>(value);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<std::uint16_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else
    return std::bit_cast<std::uint64_t>(value);
}

/// The same for a half (f16) or a bfloat16 (bf16): the nearest, ties to even.
std::uint64_t half_bits(float value);
std::uint64_t bfloat16_bits(float value);
/// The same for 8 bits with 3 of mantissa (e4m3); what is larger than 448, the largest of them, becomes it.
std::uint64_t e4m3_bits(float value);

/// The bits of the element of this type that is nearest to a value; of an integer, rounded and wrapped to its
/// bits.
std::uint64_t encode(Type, double value);

/// The value of an element; exact except for 64-bit integers beyond 2^53.
double value_of(Type, std::uint64_t bits);

}  // namespace warpgrade::problem
