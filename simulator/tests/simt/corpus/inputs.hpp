// The input of every corpus kernel: numbers that make arithmetic interesting, the same on every machine.
// One buffer of 16 KiB; regions of 3 operands for 128 threads each, then random bytes. No library's random
// distributions: they differ between machines.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace warpgrade::corpus {

constexpr std::uint32_t all_threads = 128, input_bytes = 16384;

/// Where the operands of a class are: operand k of thread t at region + (k * 128 + t) * bytes.
struct Region {
  char letter;  ///< r: 32-bit integers, d: 64-bit, h: 16-bit, n: shift amounts; f, g: float, double;
                ///< p, q: pairs of half and of bfloat
  std::uint32_t begin, bytes;
};
constexpr Region regions[] = {{'r', 0, 4},    {'d', 1536, 8},  {'f', 4608, 4},  {'g', 6144, 8},
                              {'p', 9216, 4}, {'q', 10752, 4}, {'h', 12288, 2}, {'n', 13056, 4}};
constexpr std::uint32_t random_region = 14592;

/// splitmix64
class Random {
 public:
  /// Neighbouring seeds must not give one sequence with an offset: the seed is mixed first.
  explicit Random(std::uint64_t seed) : state_(mixed(seed + 0x632BE59BD9B4E019)) {}
  std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15); }
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>((next() >> 32) % count); }
  bool one_in(std::uint32_t count) { return below(count) == 0; }
  template <class T, std::size_t count>
  T among(const T (&list)[count]) {
    return list[below(count)];
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  std::uint64_t state_;
};

/// A binary floating-point format by the widths of its fields.
struct FloatFormat {
  int exponent, mantissa;
};

/// Zeros, infinities, NaNs of both kinds, denormals, the largest and smallest, small integers and their
/// halves, or any bits; and now and then something close to, or the negative of, `other`.
inline std::uint64_t random_float(Random &random, const FloatFormat &format, std::uint64_t other) {
  const std::uint64_t sign = std::uint64_t{random.below(2)} << (format.exponent + format.mantissa);
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent) - 1) << format.mantissa;
  const std::uint64_t mantissa = (std::uint64_t{1} << format.mantissa) - 1;
  const std::uint64_t bias = (std::uint64_t{1} << (format.exponent - 1)) - 1;
  const std::uint64_t any = random.next() & mantissa;
  switch (random.below(20)) {
    case 0:
      return sign;
    case 1:
      return sign | infinity;
    case 2:
      return sign | infinity | (any | 1);
    case 3:
      return sign | infinity | (mantissa + 1) >> 1;
    case 4:
      return sign | (any >> random.below(static_cast<std::uint32_t>(format.mantissa)));
    case 5:
      return sign | 1;
    case 6:
      return sign | mantissa;
    case 7:
      return sign | (mantissa + 1);
    case 8:
      return sign | (infinity - 1);
    case 9:
      return sign | bias << format.mantissa;
    case 10: {  // k / 2: what rounding to an integer finds hard
      const std::uint64_t k = 1 + random.below(31);
      const auto top = static_cast<std::uint64_t>(63 - __builtin_clzll(k));
      const std::uint64_t fraction = (k << (63 - top) << 1) >> (64 - format.mantissa);
      return sign | (bias + top - 1) << format.mantissa | fraction;
    }
    case 11:
      return (other & (infinity | mantissa)) | sign;
    case 12:
      return other ^ random.below(8);
    case 13:  // about as large as integers are, or the edges of integer types
    case 14: {
      const std::uint64_t scale = random.among({7, 8, 15, 16, 31, 32, 62, 63, 64, 3});
      const std::uint64_t exponent = bias + scale < (infinity >> format.mantissa) ? bias + scale : bias;
      return sign | exponent << format.mantissa | (random.one_in(3) ? 0 : random.one_in(3) ? mantissa : any);
    }
    case 15:
    case 16:
    case 17: {
      const std::uint64_t exponent = bias - 4 + random.below(9);
      return sign | exponent << format.mantissa | any;
    }
    case 18:  // products of these are denormal
      return sign | (bias / 2 + random.below(4)) << format.mantissa | any;
    default:
      return random.next() & (infinity | mantissa | (infinity + mantissa + 1));
  }
}

inline std::uint64_t random_integer(Random &random, int bits, std::uint64_t other) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  switch (random.below(12)) {
    case 0:
      return 0;
    case 1:
      return ~std::uint64_t{0};
    case 2:
      return top;
    case 3:
      return top - 1;
    case 4:
      return 1 + random.below(3);
    case 5:
      return 0 - std::uint64_t{1 + random.below(40)};
    case 6:
      return std::uint64_t{1} << random.below(static_cast<std::uint32_t>(bits));
    case 7:
      return random.among({0x7Full, 0x80ull, 0xFFull, 0x7FFFull, 0x8000ull, 0xFFFFull, 0xFFFF8000ull,
                           0xFFFFFF80ull, 0x7FFFFFull, 0x800000ull});
    case 8:
      return other + random.below(3) - 1;
    case 9:
      return random.next() >> random.below(static_cast<std::uint32_t>(64));
    default:
      return random.next();
  }
}

/// Few of them twice: 0, the width, one less and one more of each width, large ones.
inline std::uint32_t random_shift(Random &random) {
  return random.one_in(3) ? random.among({0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 255u, 256u,
                                          0x80000001u, 0xFFFFFFFFu})
                          : random.below(48);
}

inline std::vector<std::uint8_t> make_inputs(std::uint32_t seed) {
  std::vector<std::uint8_t> bytes(input_bytes);
  Random random(seed);
  for (const Region &region : regions) {
    std::uint64_t last = 1;
    for (std::uint32_t i = 0; i < 3 * all_threads; ++i) {
      // Operands of one thread are related: the previous operand of the same thread is `last`.
      if (i >= all_threads) {
        last = 0;
        std::memcpy(&last, &bytes[region.begin + (i - all_threads) * region.bytes], region.bytes);
      }
      std::uint64_t value = 0;
      switch (region.letter) {
        case 'f':
          value = random_float(random, {8, 23}, last);
          break;
        case 'g':
          value = random_float(random, {11, 52}, last);
          break;
        case 'p':
          value = random_float(random, {5, 10}, last & 0xFFFF) & 0xFFFF;
          value |= random_float(random, {5, 10}, last >> 16) << 16;
          break;
        case 'q':
          value = random_float(random, {8, 7}, last & 0xFFFF) & 0xFFFF;
          value |= random_float(random, {8, 7}, last >> 16) << 16;
          break;
        case 'n':
          value = random_shift(random);
          break;
        default:
          value = random_integer(random, static_cast<int>(region.bytes) * 8, last);
      }
      std::memcpy(&bytes[region.begin + i * region.bytes], &value, region.bytes);
    }
  }
  for (std::uint32_t i = random_region; i < input_bytes; ++i)
    bytes[i] = static_cast<std::uint8_t>(random.next());
  return bytes;
}

/// The first line of a corpus kernel's PTX. The kernel is `k(u64 in, u64 out, u32 skip)`: threads whose index
/// modulo 4 is `skip` do nothing, in kernels that say so.
struct Header {
  std::uint32_t blocks = 2, threads = 64, input = 1, output_bytes = 0;
};
constexpr const char *header_format =
    "// warpgrade corpus; %u blocks of %u threads; input %u; output %u bytes";

}  // namespace warpgrade::corpus
