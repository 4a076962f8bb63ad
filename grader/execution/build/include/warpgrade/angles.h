// Sine, cosine, tangent and their inverses.
#pragma once

#include "warpgrade/double_double.h"

namespace warpgrade_math {

/// x = quarter * pi/2 + rest, with |rest| at most pi/4; only the last two bits of quarter count.
struct Angle {
  Pair rest;
  unsigned quarter;
};

// The binary digits of 2/pi behind the point.
static const __device__ unsigned long long two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/// 64 of these digits from number `from` on, which may lie before the first.
WARPGRADE_WHEN_USED unsigned long long digits(int from) {
  const int word = from >> 6, shift = from & 63;
  const unsigned long long first = word < 0 ? 0 : two_over_pi[word];
  if (shift == 0) return first;
  return first << shift | (word < -1 ? 0 : two_over_pi[word + 1]) >> (64 - shift);
}
WARPGRADE_WHEN_USED unsigned long long high_product(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

/// For large x: x * 2/pi modulo 4 in integers. Digits that only make multiples of 4 are left out.
WARPGRADE_WHEN_USED Angle reduced_large(double x) {
  const long long all = bits(x);
  const int exponent = static_cast<int>(all >> 52 & 0x7ff) - 1023 - 52;
  const unsigned long long whole = (all & 0xfffffffffffffll) | 0x10000000000000ll;
  const int from = exponent - 2;
  const unsigned long long a = digits(from), b = digits(from + 64), c = digits(from + 128);
  const unsigned long long low = high_product(whole, c);
  const unsigned long long middle = whole * b + low;
  const unsigned long long top = whole * a + high_product(whole, b) + (middle < low);
  // top:middle holds x * 2/pi modulo 4 as 2 bits before the point and 126 behind it
  unsigned quarter = static_cast<unsigned>(top >> 62);
  unsigned long long hi = top << 2 | middle >> 62, lo = middle << 2;
  const bool negative = hi >> 63;
  if (negative) {
    ++quarter;
    lo = ~lo + 1;
    hi = ~hi + (lo == 0);
  }
  if (hi == 0 && lo == 0) return {{0, 0}, quarter};
  int zeros = hi != 0 ? __builtin_clzll(hi) : 64 + __builtin_clzll(lo);
  if (zeros >= 64) {
    hi = lo << (zeros - 64), lo = 0;
  } else if (zeros > 0) {
    hi = hi << zeros | lo >> (64 - zeros), lo <<= zeros;
  }
  const double scale = from_bits(static_cast<long long>(1023 - zeros) << 52);
  const Pair fraction = {static_cast<double>(hi >> 11) * 0x1p-53 * scale,
                         static_cast<double>((hi & 0x7ff) << 42 | lo >> 22) * 0x1p-106 * scale};
  const Pair rest = fraction * Pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  return {negative ? -rest : rest, quarter};
}

/// x is positive or 0, and finite.
WARPGRADE_WHEN_USED Angle reduced(double x) {
  if (x <= 0x1.921fb54442d18p-1) return {{x, 0}, 0};
  if (x > 1e6) return reduced_large(x);
  const double n = __builtin_rint(mul(x, 0x1.45f306dc9c883p-1));
  const Pair first = product(n, 0x1.921fb54442d18p+0), second = product(n, 0x1.1a62633145c07p-54);
  const Pair a = sum(sub(x, first.hi), -first.lo), b = sum(a.hi, -second.hi);
  const double low = sub(add(b.lo, a.lo), add(second.lo, mul(n, -0x1.f1976b7ed8fbcp-110)));
  return {ordered_sum(b.hi, low), static_cast<unsigned>(n)};
}

WARPGRADE_WHEN_USED Pair sin_of(Pair x) {
  const double z = mul(x.hi, x.hi);
  double tail = 1.0;
#pragma unroll
  for (int k = 21; k >= 5; k -= 2) tail = fused(mul(z, -1.0 / (k * (k - 1))), tail, 1.0);
  const double cube = mul(mul(mul(x.hi, z), -1.0 / 6), tail);
  return ordered_sum(x.hi, add(cube, mul(x.lo, fused(z, -0.5, 1.0))));
}
WARPGRADE_WHEN_USED Pair cos_of(Pair x) {
  const Pair z = product(x.hi, x.hi);
  double tail = 1.0;
#pragma unroll
  for (int k = 20; k >= 6; k -= 2) tail = fused(mul(z.hi, -1.0 / (k * (k - 1))), tail, 1.0);
  const Pair lead = ordered_sum(1.0, -0.5 * z.hi);
  const double fourth = mul(mul(mul(z.hi, z.hi), 1.0 / 24), tail);
  return ordered_sum(lead.hi, add(lead.lo, sub(sub(fourth, 0.5 * z.lo), mul(x.hi, x.lo))));
}
/// Of the angle, moved by `quarters` quarters.
WARPGRADE_WHEN_USED double sin_in_quarter(Angle a, unsigned quarters) {
  const unsigned quarter = a.quarter + quarters;
  const Pair s = quarter & 1 ? cos_of(a.rest) : sin_of(a.rest);
  const double value = add(s.hi, s.lo);
  return quarter & 2 ? -value : value;
}
WARPGRADE_WHEN_USED double sin(double x) {
  if (is_nan(x) || is_infinite(x)) return x - x;
  if (x == 0) return x;
  const double value = sin_in_quarter(reduced(__builtin_fabs(x)), 0);
  return x < 0 ? -value : value;
}
WARPGRADE_WHEN_USED double cos(double x) {
  if (is_nan(x) || is_infinite(x)) return x - x;
  return sin_in_quarter(reduced(__builtin_fabs(x)), 1);
}
WARPGRADE_WHEN_USED double tan(double x) {
  if (is_nan(x) || is_infinite(x)) return x - x;
  if (x == 0) return x;
  const Angle a = reduced(__builtin_fabs(x));
  const Pair s = sin_of(a.rest), c = cos_of(a.rest);
  const Pair t = a.quarter & 1 ? -c / s : s / c;
  const double value = add(t.hi, t.lo);
  return x < 0 ? -value : value;
}
/// Of pi x: the reduction is exact.
WARPGRADE_WHEN_USED Angle reduced_pi(double x) {
  x = x - 2 * __builtin_trunc(0.5 * x);
  const double n = __builtin_rint(2 * x);
  return {Pair{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53} * (x - 0.5 * n), static_cast<unsigned>(n)};
}
WARPGRADE_WHEN_USED double sinpi(double x) {
  if (is_nan(x) || is_infinite(x)) return x - x;
  if (__builtin_trunc(x) == x) return with_sign(0, x);
  const double value = sin_in_quarter(reduced_pi(__builtin_fabs(x)), 0);
  return x < 0 ? -value : value;
}
WARPGRADE_WHEN_USED double cospi(double x) {
  if (is_nan(x) || is_infinite(x)) return x - x;
  const double value = sin_in_quarter(reduced_pi(__builtin_fabs(x)), 1);
  return value == 0 ? 0.0 : value;
}

/// The angle of the vector (x, y), both positive or 0 and not both 0.
WARPGRADE_WHEN_USED Pair angle(Pair y, Pair x) {
  const bool steep = y.hi > x.hi;
  const Pair q = steep ? x / y : y / x;
  // atan q = atan c + atan((q - c) / (1 + q c)), c = 0, 1/2 or 1
  const double c = q.hi < 0.25 ? 0.0 : q.hi < 0.75 ? 0.5 : 1.0;
  const Pair at = c == 0.0   ? Pair{0, 0}
                  : c == 0.5 ? Pair{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}
                             : Pair{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
  const Pair t = (q + -c) / (q * c + 1.0);
  const double z = mul(t.hi, t.hi);
  double tail = 1.0 / 31;
#pragma unroll
  for (int k = 29; k >= 3; k -= 2) tail = fused(-tail, z, 1.0 / k);
  const Pair all = at + (t + -mul(mul(t.hi, z), tail));
  return steep ? Pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54} + -all : all;
}
WARPGRADE_WHEN_USED double atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return x + y;
  double height = __builtin_fabs(y), width = __builtin_fabs(x);
  if (is_infinite(height) || is_infinite(width)) {
    height = is_infinite(height), width = is_infinite(width);
  } else if (height > 0x1p900 || width > 0x1p900) {
    height *= 0x1p-200, width *= 0x1p-200;
  } else if (height < 0x1p-900 || width < 0x1p-900) {
    height *= 0x1p100, width *= 0x1p100;
  }
  Pair a = {0, 0};
  if (height != 0)
    a = width == 0 ? Pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54} : angle({height, 0}, {width, 0});
  if (__builtin_signbit(x)) a = Pair{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53} + -a;
  return with_sign(add(a.hi, a.lo), y);
}
WARPGRADE_WHEN_USED double atan(double x) {
  return atan2(x, 1.0);
}
/// sqrt(1 - x^2), |x| at most 1
WARPGRADE_WHEN_USED Pair other_side(double x) {
  return root(-product(x, x) + 1.0);
}
WARPGRADE_WHEN_USED double asin(double x) {
  const double size = __builtin_fabs(x);
  if (!(size <= 1)) return __builtin_nan("");
  if (x == 0) return x;
  const Pair a = size == 1 ? Pair{0x1.921fb54442d18p+0, 0} : angle({size, 0}, other_side(size));
  return with_sign(add(a.hi, a.lo), x);
}
WARPGRADE_WHEN_USED double acos(double x) {
  const double size = __builtin_fabs(x);
  if (!(size <= 1)) return __builtin_nan("");
  Pair a = {0, 0};
  if (size == 0)
    a = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  else if (size < 1)
    a = angle(other_side(size), {size, 0});
  if (x < 0) a = Pair{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53} + -a;
  return add(a.hi, a.lo);
}

}  // namespace warpgrade_math
