// Exponential and logarithm with more digits than a double has, and what is made of them.
#pragma once

#include "warpgrade/double_double.h"

namespace warpgrade_math {

/// 2^n m
struct Scaled {
  Pair m;
  int n;
};

/// The value of a polynomial sum of x^i / (first ... (first + i)), by Horner's rule: the tail of exp's
/// series.
template <int first, int last>
WARPGRADE_DEVICE double exp_tail(double x) {
  if constexpr (first == last) {
    return 1.0;
  } else {
    return fused(mul(x, 1.0 / (first + 1)), exp_tail<first + 1, last>(x), 1.0);
  }
}

/// e^(x.hi + x.lo), for |x| up to 800.
WARPGRADE_WHEN_USED Scaled exp_of(Pair x) {
  const double n = __builtin_rint(mul(x.hi, 0x1.71547652b82fep+0));
  const double r = fused(-n, 0x1.62e42fef00000p-1, x.hi);
  const Pair rest = sum(r, fused(-n, 0x1.473de6af278edp-34, fused(-n, -0x1.9ff0342542fc3p-90, x.lo)));
  // 1 + r + r^2 / 2 * (1 + r/3 (1 + r/4 (...)))
  const Pair square = product(rest.hi, mul(rest.hi, 0.5));
  const double tail = mul(square.hi, mul(rest.hi, mul(1.0 / 3, exp_tail<3, 14>(rest.hi))));
  const Pair lead = sum(1.0, rest.hi);
  const double low = add(add(lead.lo, add(rest.lo, mul(rest.hi, rest.lo))), add(square.lo, tail));
  const Pair all = sum(lead.hi, square.hi);
  return {ordered_sum(all.hi, add(all.lo, low)), static_cast<int>(n)};
}
WARPGRADE_WHEN_USED double exp(Pair x) {
  if (is_nan(x.hi)) return x.hi;
  if (x.hi > 710) return __builtin_inf();
  if (x.hi < -746) return 0;
  const Scaled e = exp_of(x);
  return scaled(add(e.m.hi, e.m.lo), e.n);
}
WARPGRADE_WHEN_USED double exp(double x) {
  return exp(Pair{x, 0});
}
WARPGRADE_WHEN_USED double exp2(double x) {
  if (is_nan(x)) return x;
  if (x > 1025) return __builtin_inf();
  if (x < -1076) return 0;
  const double n = __builtin_rint(x);
  const Scaled e = exp_of(Pair{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56} * (x - n));
  return scaled(add(e.m.hi, e.m.lo), e.n + static_cast<int>(n));
}
WARPGRADE_WHEN_USED double exp10(double x) {
  if (x > 309) return __builtin_inf();
  if (x < -324) return 0;
  return exp(Pair{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53} * x);
}
/// e^x - 1 with all digits, also near 0; for |x| up to 800.
WARPGRADE_WHEN_USED Pair exp_minus_1(double x) {
  if (__builtin_fabs(x) < 0.35) {
    const Pair square = product(x, mul(x, 0.5));
    const double tail = mul(square.hi, mul(x, mul(1.0 / 3, exp_tail<3, 15>(x))));
    return sum(x, square.hi) + add(square.lo, tail);
  }
  const Scaled e = exp_of({x, 0});
  const int n = e.n > 1022 ? 1022 : e.n;  // beyond, the caller has no use for it
  return Pair{scaled(e.m.hi, n), scaled(e.m.lo, n)} + -1.0;
}
WARPGRADE_WHEN_USED double expm1(double x) {
  if (is_nan(x) || x == 0) return x;
  if (x > 709) return exp(x);
  if (x < -50) return -1;
  const Pair e = exp_minus_1(x);
  return add(e.hi, e.lo);
}

/// ln x = n ln 2 + m; x positive and finite.
WARPGRADE_WHEN_USED Scaled log_of(double x) {
  int n = 0;
  if (x < 0x1p-1022) x *= 0x1p54, n = -54;
  n += static_cast<int>(bits(x) >> 52) - 1023;
  double m = from_bits((bits(x) & 0xfffffffffffffll) | 0x3ff0000000000000ll);
  if (m > 1.4142135623730951) m *= 0.5, ++n;
  // ln((1 + s) / (1 - s)) = 2 s + 2/3 s^3 + 2/5 s^5 + ..., s = f / (2 + f), |s| < 0.172
  const double f = m - 1;
  const Pair s = Pair{f, 0} / sum(2.0, f);
  const Pair square = s * s;
  const double z = square.hi;
  double rest = 2.0 / 27;
#pragma unroll
  for (int k = 25; k >= 5; k -= 2) rest = fused(rest, z, 2.0 / k);
  const Pair cube = s * square;
  const Pair third = cube * Pair{0x1.5555555555555p-1, 0x1.5555555555555p-55};
  return {Pair{2 * s.hi, 2 * s.lo} + (third + mul(mul(cube.hi, z), rest)), n};
}
WARPGRADE_WHEN_USED Pair log_pair(double x) {
  const Scaled l = log_of(x);
  const double n = l.n;
  const Pair twos = sum(mul(n, 0x1.62e42fef00000p-1), mul(n, 0x1.473de6af278edp-34));
  return (twos + l.m) + mul(n, -0x1.9ff0342542fc3p-90);
}
/// What every logarithm gives where there is none, or where it needs no work; else leaves `result` alone.
WARPGRADE_WHEN_USED bool log_is_special(double x, double &result) {
  if (is_nan(x) || x == __builtin_inf()) {
    result = x;
  } else if (x < 0) {
    result = __builtin_nan("");
  } else if (x == 0) {
    result = -__builtin_inf();
  } else {
    return false;
  }
  return true;
}
WARPGRADE_WHEN_USED double log(double x) {
  double special;
  if (log_is_special(x, special)) return special;
  const Pair l = log_pair(x);
  return add(l.hi, l.lo);
}
WARPGRADE_WHEN_USED double log2(double x) {
  double special;
  if (log_is_special(x, special)) return special;
  const Scaled l = log_of(x);
  const Pair all = l.m * Pair{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56} + static_cast<double>(l.n);
  return add(all.hi, all.lo);
}
WARPGRADE_WHEN_USED double log10(double x) {
  double special;
  if (log_is_special(x, special)) return special;
  const Pair all = log_pair(x) * Pair{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  return add(all.hi, all.lo);
}
WARPGRADE_WHEN_USED double log1p(double x) {
  double special;
  if (x == 0) return x;
  if (log_is_special(x + 1, special) && !(x > -1 && x < 1)) return special;
  const Pair one_more = sum(1.0, x);
  const Pair l = log_pair(one_more.hi) + quotient(one_more.lo, one_more.hi);
  return add(l.hi, l.lo);
}

WARPGRADE_WHEN_USED bool is_whole(double y) {
  return __builtin_trunc(y) == y;
}
WARPGRADE_WHEN_USED bool is_odd(double y) {
  return is_whole(y) && __builtin_fabs(y) < 0x1p53 && __builtin_trunc(y * 0.5) != y * 0.5;
}
WARPGRADE_WHEN_USED double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (is_nan(x) || is_nan(y)) return x + y;
  const double size = __builtin_fabs(x);
  if (is_infinite(y)) {
    if (size == 1) return 1;
    return (size > 1) == (y > 0) ? __builtin_inf() : 0.0;
  }
  const double sign = is_odd(y) ? x : 1.0;
  if (size == 0 || is_infinite(x)) return with_sign((size == 0) == (y > 0) ? 0.0 : __builtin_inf(), sign);
  if (x < 0 && !is_whole(y)) return __builtin_nan("");
  const Pair l = log_pair(size);
  if (__builtin_fabs(y) > 0x1p80) {  // products below must not overflow
    return l.hi == 0 ? 1.0 : (l.hi > 0) == (y > 0) ? __builtin_inf() : 0.0;
  }
  return with_sign(exp(l * y), sign);
}
WARPGRADE_WHEN_USED double cbrt(double x) {
  if (x == 0 || is_nan(x) || is_infinite(x)) return x;
  if (__builtin_fabs(x) > 0x1p1000) return cbrt(x * 0x1p-300) * 0x1p100;
  const double size = __builtin_fabs(x);
  const double guess = exp(log_pair(size) * Pair{0x1.5555555555555p-2, 0x1.5555555555555p-56});
  const Pair square = product(guess, guess);
  const Pair cube = square * guess;
  const double rest = add(sub(size, cube.hi), -cube.lo);
  return with_sign(add(guess, quotient(rest, 3 * square.hi)), x);
}
WARPGRADE_WHEN_USED double hypot(double x, double y) {
  x = __builtin_fabs(x), y = __builtin_fabs(y);
  if (is_infinite(x) || is_infinite(y)) return __builtin_inf();
  if (is_nan(x) || is_nan(y)) return x + y;
  if (x < y) {
    const double swap = x;
    x = y, y = swap;
  }
  if (y == 0) return x;
  const double down = x > 0x1p500 ? 0x1p-600 : x < 0x1p-500 ? 0x1p600 : 1.0;
  x *= down, y *= down;
  const Pair r = root(product(x, x) + product(y, y));
  return add(r.hi, r.lo) / down;
}

// Hyperbolic functions
WARPGRADE_WHEN_USED double sinh(double x) {
  if (is_nan(x) || is_infinite(x) || x == 0) return x;
  const double size = __builtin_fabs(x);
  if (size < 0.5) {
    const double z = mul(x, x);
    double tail = 1.0;
#pragma unroll
    for (int k = 17; k >= 5; k -= 2) tail = fused(mul(z, 1.0 / (k * (k - 1))), tail, 1.0);
    return fused(mul(mul(x, z), 1.0 / 6), tail, x);
  }
  const Scaled e = exp_of({size < 800 ? size : 800, 0});
  if (e.n > 30) return with_sign(scaled(add(e.m.hi, e.m.lo), e.n - 1), x);
  const Pair grown = {scaled(e.m.hi, e.n), scaled(e.m.lo, e.n)};
  const Pair difference = grown + -(Pair{1, 0} / grown);
  return with_sign(0.5 * add(difference.hi, difference.lo), x);
}
WARPGRADE_WHEN_USED double cosh(double x) {
  if (is_nan(x) || is_infinite(x)) return x * x;
  const double size = __builtin_fabs(x);
  const Scaled e = exp_of({size < 800 ? size : 800, 0});
  if (e.n > 30) return scaled(add(e.m.hi, e.m.lo), e.n - 1);
  const Pair grown = {scaled(e.m.hi, e.n), scaled(e.m.lo, e.n)};
  const Pair both = grown + Pair{1, 0} / grown;
  return 0.5 * add(both.hi, both.lo);
}
WARPGRADE_WHEN_USED double tanh(double x) {
  if (is_nan(x) || x == 0) return x;
  if (__builtin_fabs(x) > 22) return with_sign(1, x);
  const Pair e = exp_minus_1(2 * x);
  const Pair q = e / (e + 2.0);
  return add(q.hi, q.lo);
}
WARPGRADE_WHEN_USED double asinh(double x) {
  const double size = __builtin_fabs(x);
  if (is_nan(x) || is_infinite(x) || x == 0) return x;
  if (size > 0x1p28) return with_sign(log(size) + 0x1.62e42fefa39efp-1, x);
  const double square = size * size;
  return with_sign(log1p(size + square / (1 + root(1 + square))), x);
}
WARPGRADE_WHEN_USED double acosh(double x) {
  if (x < 1) return __builtin_nan("");
  if (is_nan(x) || is_infinite(x)) return x;
  if (x > 0x1p28) return log(x) + 0x1.62e42fefa39efp-1;
  const double more = x - 1;
  return log1p(more + root(2 * more + more * more));
}
WARPGRADE_WHEN_USED double atanh(double x) {
  const double size = __builtin_fabs(x);
  if (is_nan(x) || x == 0) return x;
  if (size > 1) return __builtin_nan("");
  if (size == 1) return with_sign(__builtin_inf(), x);
  return with_sign(0.5 * log1p(2 * size / (1 - size)), x);
}

// The error function: a series with terms of one sign below 2.5, a continued fraction above.
WARPGRADE_WHEN_USED Pair erf_series(double x) {
  const Pair square = product(x, x);
  Pair term = {1, 0}, all = {1, 0};
  for (int n = 1; n < 60; ++n) {
    term = (term * Pair{2 * square.hi, 2 * square.lo}) / Pair{2.0 * n + 1, 0};
    all = all + term;
    if (term.hi < all.hi * 0x1p-80) break;
  }
  const Scaled e = exp_of(-square);
  return (Pair{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56} * x) *
         (Pair{scaled(e.m.hi, e.n), scaled(e.m.lo, e.n)} * all);
}
WARPGRADE_WHEN_USED double erfc_fraction(double x) {  // x >= 2.5
  const Pair square = product(x, x);
  if (square.hi > 760) return 0;
  double tail = x;
  for (int n = 60; n >= 1; --n) tail = x + 0.5 * n / tail;
  const Scaled e = exp_of(-square);
  return scaled(0x1.20dd750429b6dp-1 * add(e.m.hi, e.m.lo) / tail, e.n);
}
WARPGRADE_WHEN_USED double erf(double x) {
  if (is_nan(x) || x == 0) return x;
  const double size = __builtin_fabs(x);
  if (size >= 2.5) return with_sign(1 - erfc_fraction(size), x);
  const Pair e = erf_series(size);
  return with_sign(add(e.hi, e.lo), x);
}
WARPGRADE_WHEN_USED double erfc(double x) {
  if (is_nan(x)) return x;
  const double size = __builtin_fabs(x);
  if (size >= 2.5) return x > 0 ? erfc_fraction(size) : 2 - erfc_fraction(size);
  const Pair e = erf_series(size);
  const Pair rest = (x < 0 ? e : -e) + 1.0;
  return add(rest.hi, rest.lo);
}

}  // namespace warpgrade_math
