// Counter-based random numbers: element i of a stream is a function of (seed, stream, i), so inputs can be
// generated again anywhere, in any order, on any number of threads.
#pragma once

#include <bit>
#include <cstdint>

namespace warpgrade::problem {

/// The output function of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mix(mix(seed ^ (stream * 0xd1342543de82ef95u)) + index);
}

/// A seed derived from `seed`, a different one for each purpose. The two look unrelated, but either can be
/// computed from the other.
constexpr std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t purpose) {
  return random_bits(mix(seed), 0x5eed + purpose, purpose);
}

/// A float of random sign with magnitude in [0.5, 1) that half precision, BF16 and TF32 cannot hold: the 13
/// bits that those formats drop are kept between `nearest` and `farthest` eighths of the TF32 spacing away
/// from the nearest TF32 number (eighths, 0 < nearest < farthest <= 4). So one single product already shows
/// the format.
constexpr float awkward_float(std::uint64_t bits, int nearest, int farthest) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << 31;
  const std::uint32_t high = static_cast<std::uint32_t>(bits >> 40) & 0x3ffu;  // the 10 bits that TF32 keeps
  const std::uint32_t span = static_cast<std::uint32_t>(farthest - nearest) * 1024u;
  const std::uint32_t away = static_cast<std::uint32_t>(nearest) * 1024u +
                             static_cast<std::uint32_t>((bits & 0xffffffffu) * std::uint64_t{span} >> 32);
  const bool below = (bits >> 39) & 1u;
  const std::uint32_t low = below ? 8192u - away : away;  // at most 4096 away from either neighbour
  return std::bit_cast<float>(sign | 0x3f000000u | (high << 13) | (low & 0x1fffu));
}

/// The bits of a half of random sign with magnitude in [0.5, 1) that 8-bit formats cannot hold: the 7 bits
/// that e4m3 drops are kept between `nearest` and `farthest` eighths of its spacing away from its nearest
/// number (0 < nearest < farthest <= 4). The last bit is 1, so the product of two such numbers has 21 or 22
/// significant bits, and no half holds it.
constexpr std::uint16_t awkward_half(std::uint64_t bits, int nearest, int farthest) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << 15;
  const std::uint32_t high = static_cast<std::uint32_t>(bits >> 40) & 7u;  // the 3 bits that e4m3 keeps
  const std::uint32_t span = static_cast<std::uint32_t>(farthest - nearest) * 16u;
  const std::uint32_t away = static_cast<std::uint32_t>(nearest) * 16u +
                             static_cast<std::uint32_t>((bits & 0xffffffffu) * std::uint64_t{span} >> 32);
  const std::uint32_t low = ((bits >> 39) & 1u) != 0 ? 128u - away : away;
  return static_cast<std::uint16_t>(sign | 0x3800u | (high << 7) | (low & 0x7fu) | 1u);
}

/// The value of the bits of a half; not of an infinity or a NaN.
constexpr float finite_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16,
                      size = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  return std::bit_cast<float>(sign | size) * 0x1p112f;  // moves the exponent; exact, subnormals included
}

/// The bits of an e4m3 of random sign whose magnitude is a whole number of sixteenths from `least` to `most`, all
/// of them equally likely (1 <= least <= most <= 15).
constexpr std::uint8_t sixteenths_in_8_bits(std::uint64_t bits, int least, int most) {
  const auto span = static_cast<std::uint64_t>(most - least + 1);
  const std::uint32_t size =
      static_cast<std::uint32_t>(least) + static_cast<std::uint32_t>((bits & 0xffffffffu) * span >> 32);
  std::uint32_t exponent = 3;  // of e4m3, for sizes from 8 to 15
  if (size < 8) exponent = size < 2 ? 0 : size < 4 ? 1 : 2;
  const std::uint32_t fraction = (size << (3 - exponent)) & 7u;
  return static_cast<std::uint8_t>((bits >> 63) << 7 | (exponent + 3) << 3 | fraction);
}

/// The value of the bits of an e4m3; not of a NaN.
constexpr float finite_e4m3(std::uint8_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80u) << 24,
                      size = static_cast<std::uint32_t>(bits & 0x7fu) << 20;
  return std::bit_cast<float>(sign | size) * 0x1p120f;
}

/// The bits of element i of an array of such floats, as most problems draw them.
constexpr std::uint64_t awkward_element(std::uint64_t seed, std::uint64_t array, std::uint64_t i) {
  return std::bit_cast<std::uint32_t>(awkward_float(random_bits(seed, array + 1, i), 1, 4));
}

}  // namespace warpgrade::problem
