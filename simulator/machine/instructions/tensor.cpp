#include "decode/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "machine/instructions/scalar.hpp"

namespace warpgrade::simt::tensor {
namespace {

constexpr bool is_fp8(Element factor) {
  return factor == Element::e4m3 || factor == Element::e5m2;
}
/// Below the largest exponent.
constexpr std::int32_t kept_bits_of(Element factor) {
  return is_fp8(factor) ? 13 : 25;
}
/// Of the fraction of a result in single precision, from the top.
constexpr std::int32_t fraction_bits_of(Element factor) {
  return is_fp8(factor) ? 13 : 23;
}
/// The largest exponent counts as at least this: measured on an H200, which keeps no bit below 2^-158.
constexpr std::int32_t least_exponent = -133;
constexpr std::int32_t no_exponent = -100000;  ///< of a zero, which does not affect the truncation

struct Format {
  std::int32_t fraction, exponent;  ///< bits
};

constexpr Format format_of(Element element) {
  switch (element) {
    case Element::f16:
      return {10, 5};
    case Element::bf16:
      return {7, 8};
    case Element::tf32:
      return {10, 8};
    case Element::e4m3:
      return {3, 4};
    case Element::e5m2:
      return {2, 5};
    default:
      return {23, 8};
  }
}

enum class Special : std::uint8_t { none, zero, infinite, nan };

/// A number: significand * 2^(exponent - fraction bits).
struct Number {
  std::int32_t significand = 0, exponent = no_exponent;
  Special special = Special::none;
};

Number decode(Element element, std::uint32_t bits) {
  const Format format = format_of(element);
  if (element == Element::tf32) bits >>= 13;
  const auto all_ones = (1 << format.exponent) - 1, bias = all_ones >> 1;
  const bool negative = bits >> (format.exponent + format.fraction) & 1;
  const auto exponent = static_cast<std::int32_t>(bits >> format.fraction) & all_ones;
  std::int32_t significand = static_cast<std::int32_t>(bits) & ((1 << format.fraction) - 1);
  if (element == Element::e4m3) {  // has no infinities, and one NaN
    if ((bits & 0x7F) == 0x7F) return {1, no_exponent, Special::nan};
  } else if (exponent == all_ones)
    return {negative ? -1 : 1, no_exponent, significand != 0 ? Special::nan : Special::infinite};
  if (exponent != 0) significand |= 1 << format.fraction;
  if (significand == 0) return {0, no_exponent, Special::zero};
  return {negative ? -significand : significand, std::max(exponent, 1) - bias, Special::none};
}

std::int64_t shifted(std::int64_t value, std::int32_t left) {
  if (left >= 0) return value * (std::int64_t{1} << left);
  const std::int32_t right = std::min(-left, 62);
  return value < 0 ? -(-value >> right) : value >> right;
}

/// sum * 2^unit, towards zero.
std::uint32_t to_single(std::int64_t sum, std::int32_t unit, std::int32_t fraction_bits = 23) {
  const bool negative = sum < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? -sum : sum);
  if (magnitude == 0) return 0;
  const std::int32_t top = 63 - std::countl_zero(magnitude), exponent = top + unit;
  const std::uint32_t sign = negative ? 0x80000000 : 0;
  if (exponent > 127) return sign | 0x7f800000;
  const std::int32_t drop = std::max(top - 23, -149 - unit);
  const std::uint64_t kept = drop > 63 ? 0 : drop >= 0 ? magnitude >> drop : magnitude << -drop;
  if (kept == 0) return 0;
  const auto fraction = static_cast<std::uint32_t>(kept) & 0x7fffff & ~0u << (23 - fraction_bits);
  return sign | (exponent < -126 ? 0 : static_cast<std::uint32_t>(exponent + 127) << 23) | fraction;
}

/// sum * 2^unit, to nearest, ties to even.
std::uint32_t to_half(std::int64_t sum, std::int32_t unit) {
  const bool negative = sum < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? -sum : sum);
  if (magnitude == 0) return 0;
  const std::int32_t top = 63 - std::countl_zero(magnitude), exponent = top + unit;
  const std::uint32_t sign = negative ? 0x8000 : 0;
  if (exponent > 15) return sign | 0x7c00;
  const std::int32_t drop = std::max(top - 10, -24 - unit);
  std::uint64_t kept = drop > 63 ? 0 : drop >= 0 ? magnitude >> drop : magnitude << -drop;
  if (drop > 0 && drop <= 63) {
    const std::uint64_t rest = magnitude & ((std::uint64_t{1} << drop) - 1),
                        half = std::uint64_t{1} << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) ++kept;
  }
  if (kept == 0) return 0;
  // A carry out of the fraction raises the exponent, up to infinity.
  const auto biased = static_cast<std::uint32_t>(std::max(exponent, -14) + 14);
  return sign | ((biased << 10) + static_cast<std::uint32_t>(kept));
}

constexpr std::uint32_t most_numbers = 32;  ///< along k

/// The numbers of the rows of A, or of the columns of B, which are side by side.
struct Rows {
  Number numbers[most_m][most_numbers];
  std::int32_t significand[most_m][most_numbers], exponent[most_m][most_numbers];
  bool special[most_m];  ///< one in the row is infinite or NaN
};
struct Columns {
  Number numbers[most_n][most_numbers];
  std::int32_t significand[most_numbers][most_n], exponent[most_numbers][most_n];
  bool special[most_n];
};

bool is_finite(const Number &number) {
  return number.special != Special::infinite && number.special != Special::nan;
}

/// The sums of products [first, first + count) of a row with all columns, cut off below the largest exponent
/// among them and `largest`, which becomes that exponent.
void add_products(const std::int32_t *left, const std::int32_t *left_exponent, const Columns &right,
                  std::uint32_t first, std::uint32_t count, std::int32_t (&largest)[most_n],
                  std::int64_t (&sums)[most_n]) {
  for (std::uint32_t i = first; i < first + count; ++i)
    for (std::uint32_t n = 0; n < most_n; ++n)
      largest[n] = std::max(largest[n], left_exponent[i] + right.exponent[i][n]);
  for (std::uint32_t begin = first; begin < first + count; begin += 8) {  // 8 of them fit into 32 bits
    std::int32_t some[most_n] = {};
    const std::uint32_t end = std::min(begin + 8, first + count);
    for (std::uint32_t i = begin; i < end; ++i)
      for (std::uint32_t n = 0; n < most_n; ++n) {
        const std::int32_t value = left[i] * right.significand[i][n], sign = value >> 31;
        const std::int32_t away = std::min(largest[n] - left_exponent[i] - right.exponent[i][n], 31);
        some[n] += ((((value ^ sign) - sign) >> away) ^ sign) - sign;
      }
    for (std::uint32_t n = 0; n < most_n; ++n) sums[n] += some[n];
  }
}

constexpr std::uint32_t nan_single = 0x7fffffff, nan_half = 0x7fff;

/// A result to which something infinite or NaN contributes.
std::uint32_t special_sum(const Number *a, const Number *b, std::uint32_t k, const Number &c, bool half) {
  bool nan = c.special == Special::nan;
  bool up = c.special == Special::infinite && c.significand > 0;
  bool down = c.special == Special::infinite && c.significand < 0;
  for (std::uint32_t i = 0; i < k; ++i) {
    const bool infinite = a[i].special == Special::infinite || b[i].special == Special::infinite;
    const bool zero = a[i].special == Special::zero || b[i].special == Special::zero;
    nan |= a[i].special == Special::nan || b[i].special == Special::nan || (infinite && zero);
    const bool negative = (a[i].significand < 0) != (b[i].significand < 0);
    up |= infinite && !negative;
    down |= infinite && negative;
  }
  if (nan || (up && down)) return half ? nan_half : nan_single;
  return half ? (up ? 0x7c00 : 0xfc00) : (up ? 0x7f800000 : 0xff800000);
}

/// An f32 as f16, as an ordinary conversion makes it: a negative number that is too small becomes -0.
std::uint32_t narrowed(std::uint32_t bits) {
  const Number number = decode(Element::f32, bits);
  if (number.special == Special::nan) return nan_half;
  if (number.special == Special::infinite) return number.significand < 0 ? 0xfc00 : 0x7c00;
  const std::uint32_t magnitude =
      to_half(std::abs(number.significand), number.exponent - format_of(Element::f32).fraction);
  return (bits >> 31) << 15 | magnitude;
}

/// An f16 as f32. Subnormal numbers become normal ones, so they are cut off below their own exponent.
std::uint32_t widened(std::uint32_t bits) {
  const Number number = decode(Element::f16, bits);
  const std::uint32_t sign = (bits >> 15 & 1) << 31;
  if (number.special == Special::nan) return nan_single;
  if (number.special == Special::infinite) return sign | 0x7f800000;
  return sign | to_single(std::abs(number.significand), number.exponent - format_of(Element::f16).fraction);
}

void decode_all(const Product &product, const Matrices &of, Rows &a, Columns &b) {
  // Products come out with all the bits that are kept below their own exponent.
  const std::int32_t scale =
      1 << (kept_bits_of(product.a) - format_of(product.a).fraction - format_of(product.b).fraction);
  for (std::uint32_t m = 0; m < product.m; ++m) {
    a.special[m] = false;
    for (std::uint32_t k = 0; k < product.k; ++k) {
      const Number number = a.numbers[m][k] = decode(product.a, of.a[m][k]);
      a.significand[m][k] = number.significand * scale;
      a.exponent[m][k] = number.exponent;
      a.special[m] |= !is_finite(number);
    }
  }
  for (std::uint32_t n = 0; n < most_n; ++n) {
    b.special[n] = false;
    for (std::uint32_t k = 0; k < product.k; ++k) {
      const Number number = b.numbers[n][k] = decode(product.b, of.b[n][k]);
      b.significand[k][n] = number.significand;
      b.exponent[k][n] = number.exponent;
      b.special[n] |= !is_finite(number);
    }
  }
}

void multiply_numbers(const Product &product, Matrices &of) {
  const bool half = product.d == Element::f16 && product.c == Element::f16;
  const std::int32_t kept_bits = kept_bits_of(product.a), fraction_bits = fraction_bits_of(product.a);
  Rows a;
  Columns b;
  decode_all(product, of, a, b);
  const auto is_special = [&](std::uint32_t m, std::uint32_t n, std::uint32_t first, const Number &c) {
    if (!is_finite(c)) return true;
    if (!a.special[m] && !b.special[n]) return false;
    for (std::uint32_t k = first; k < first + product.step; ++k)
      if (!is_finite(a.numbers[m][k]) || !is_finite(b.numbers[n][k])) return true;
    return false;
  };
  for (std::uint32_t m = 0; m < product.m; ++m) {
    std::uint32_t results[most_n];
    std::copy_n(of.c[m], most_n, results);
    Element in = product.c;
    if (in == Element::f16 && !half) {
      for (std::uint32_t &one : results) one = widened(one);
      in = Element::f32;
    }
    for (std::uint32_t first = 0; first < product.k; first += product.step) {
      Number c[most_n];
      std::int32_t largest[most_n];
      std::int64_t sums[most_n] = {};
      for (std::uint32_t n = 0; n < most_n; ++n) {
        c[n] = decode(in, results[n]);
        largest[n] = std::max(c[n].exponent, least_exponent);
      }
      add_products(a.significand[m], a.exponent[m], b, first, product.step, largest, sums);
      const std::int32_t shift = kept_bits - format_of(in).fraction;
      in = half ? Element::f16 : Element::f32;
      for (std::uint32_t n = 0; n < most_n; ++n) {
        if (is_special(m, n, first, c[n])) {
          results[n] = special_sum(a.numbers[m] + first, b.numbers[n] + first, product.step, c[n], half);
          continue;
        }
        const std::int64_t sum =
            sums[n] + shifted(c[n].significand, shift - std::min(largest[n] - c[n].exponent, 64));
        results[n] = half ? to_half(sum, largest[n] - kept_bits)
                          : to_single(sum, largest[n] - kept_bits, fraction_bits);
      }
    }
    for (std::uint32_t n = 0; n < most_n; ++n)
      of.d[m][n] = product.d == Element::f16 && !half ? narrowed(results[n]) : results[n];
  }
}

std::int32_t integer(Element element, std::uint32_t bits) {
  const auto number = static_cast<std::int32_t>(bits);
  if (element == Element::s8) return static_cast<std::int8_t>(number);
  return element == Element::s4 ? (number ^ 8) - 8 : number;
}

/// Words of single bits: how many of their products are 1.
std::int32_t count(bool exclusive, std::uint32_t a, std::uint32_t b) {
  return std::popcount(exclusive ? a ^ b : a & b);
}

void multiply_integers(const Product &product, Matrices &of) {
  const bool bits = product.a == Element::b1;
  const std::uint32_t k = held_depth(product.a, product.k);
  for (std::uint32_t row = 0; row < product.m; ++row)
    for (std::uint32_t column = 0; column < most_n; ++column) {
      std::int64_t sum = static_cast<std::int32_t>(of.c[row][column]);
      for (std::uint32_t i = 0; i < k; ++i)
        sum += bits ? count(product.exclusive, of.a[row][i], of.b[column][i])
                    : integer(product.a, of.a[row][i]) * integer(product.b, of.b[column][i]);
      if (product.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      of.d[row][column] = static_cast<std::uint32_t>(sum);
    }
}

}  // namespace

namespace {

/// Calls take(lane, index, bits) for all elements in `count` registers.
template <class Take>
void for_elements(Element element, const std::uint32_t *const *registers, std::uint32_t count,
                  const Take &take) {
  const std::uint32_t each = per_register(element), bits = bits_of(element);
  const std::uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
  for (std::uint32_t r = 0; r < count; ++r)
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t e = 0; e < each; ++e)
        take(lane, r * each + e, registers[r][lane] >> (bits & 31) * e & mask);
}

/// A number of fp8, all of which are numbers of f16 too.
std::uint32_t as_half(Element element, std::uint32_t bits) {
  const Number number = decode(element, bits);
  if (number.special == Special::nan) return nan_half;
  const std::uint32_t sign = number.significand < 0 ? 0x8000 : 0;
  if (number.special == Special::infinite) return sign | 0x7c00;
  return sign | to_half(std::abs(number.significand), number.exponent - format_of(element).fraction);
}

/// What ptxas makes of a product of fp8 for compute capability 9.0, which has none by mma.sync: two of f16,
/// of the lower and of the upper pairs of each four elements, and C is added at last.
void multiply_in_halves(const Product &product, Matrices &of) {
  Matrices halves{};
  const auto place = [&](std::uint32_t k) { return k % 4 / 2 * (product.k / 2) + k / 4 * 2 + k % 2; };
  for (std::uint32_t k = 0; k < product.k; ++k) {
    for (std::uint32_t m = 0; m < product.m; ++m) halves.a[m][place(k)] = as_half(product.a, of.a[m][k]);
    for (std::uint32_t n = 0; n < most_n; ++n) halves.b[n][place(k)] = as_half(product.b, of.b[n][k]);
  }
  multiply_numbers(
      {Element::f16, Element::f16, product.d, product.d, product.m, product.k, product.k / 2, false, false},
      halves);
  for (std::uint32_t m = 0; m < product.m; ++m)
    for (std::uint32_t n = 0; n < most_n; ++n) {
      const std::uint32_t sum = halves.d[m][n], c = of.c[m][n];
      of.d[m][n] =
          product.d == Element::f16
              ? add_halves(sum, c)
              : std::bit_cast<std::uint32_t>(canonical(std::bit_cast<float>(sum) + std::bit_cast<float>(c)));
    }
}

}  // namespace

void multiply(const WarpProduct &product, const std::uint32_t *const *a, const std::uint32_t *const *b,
              const std::uint32_t *const *c, std::uint32_t (*d)[32]) {
  const Product &one = product.one;
  if (one.d == Element::f64) return multiply_doubles(one, a, b, c, d);
  const Element left_element = held_as(one.a), right_element = held_as(one.b);
  Matrices all;
  for (std::uint32_t part = 0; part < product.parts; ++part) {
    const std::uint32_t left = product.splits_columns ? 0 : part, right = product.splits_columns ? part : 0;
    for_elements(left_element, a + left * one.a_registers(), one.a_registers(),
                 [&](std::uint32_t lane, std::uint32_t i, std::uint32_t bits) {
                   const Place at = place_in_a(left_element, lane, i);
                   all.a[at.row][at.column] = bits;
                 });
    for_elements(right_element, b + right * one.b_registers(), one.b_registers(),
                 [&](std::uint32_t lane, std::uint32_t i, std::uint32_t bits) {
                   const Place at = place_in_b(right_element, lane, i);
                   all.b[at.column][at.row] = bits;
                 });
    for_elements(one.c, c + part * one.c_registers(), one.c_registers(),
                 [&](std::uint32_t lane, std::uint32_t i, std::uint32_t bits) {
                   const Place at = place_in_c(lane, i);
                   all.c[at.row][at.column] = bits;
                 });
    if (is_fp8(one.a))
      multiply_in_halves(one, all);
    else
      multiply(one, all);
    const std::uint32_t each = per_register(one.d), width = bits_of(one.d);
    for (std::uint32_t r = 0; r < one.d_registers(); ++r)
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        std::uint32_t &to = d[part * one.d_registers() + r][lane] = 0;
        for (std::uint32_t e = 0; e < each; ++e) {
          const Place at = place_in_c(lane, r * each + e);
          to |= all.d[at.row][at.column] << (width & 31) * e;
        }
      }
  }
}

void multiply(const Product &product, Matrices &of) {
  if (product.d == Element::s32) return multiply_integers(product, of);
  multiply_numbers(product, of);
}

}  // namespace warpgrade::simt::tensor
