// Sums and products of doubles with what rounding takes from them, so that functions built on them are right
// to about an ulp. Each operation names its rounding, which keeps the compiler from fusing what must not be
// fused.
#pragma once

#include "warpgrade/qualifiers.h"

// What is done in these functions is done on the line that calls them.
#define WARPGRADE_MEMBER __forceinline__ __device__ __attribute__((nodebug))
#define WARPGRADE_DEVICE static WARPGRADE_MEMBER
// A function that is made where it is called. clang looks at every other function of the headers that it has
// read beforehand once more at the end of each file, in search of messages that it put off; with a thousand
// of them that takes longer than a small file itself.
#define WARPGRADE_WHEN_USED \
  template <int = 0>        \
  WARPGRADE_DEVICE

namespace warpgrade_math {

/// hi + lo, where lo is small beside hi.
struct Pair {
  double hi, lo;
};

// The compiler takes its own __nvvm_add_rn_d and __nvvm_mul_rn_d for plain sums and products, and fuses them.
WARPGRADE_DEVICE double add(double a, double b) {
  double sum;
  asm("add.rn.f64 %0, %1, %2;" : "=d"(sum) : "d"(a), "d"(b));
  return sum;
}
WARPGRADE_DEVICE double sub(double a, double b) {
  return add(a, -b);
}
WARPGRADE_DEVICE double mul(double a, double b) {
  double product;
  asm("mul.rn.f64 %0, %1, %2;" : "=d"(product) : "d"(a), "d"(b));
  return product;
}
WARPGRADE_DEVICE double fused(double a, double b, double c) {
  return __nvvm_fma_rn_d(a, b, c);
}
WARPGRADE_DEVICE double root(double a) {
  return __nvvm_sqrt_rn_d(a);
}
WARPGRADE_DEVICE double quotient(double a, double b) {
  return __nvvm_div_rn_d(a, b);
}

WARPGRADE_DEVICE Pair sum(double a, double b) {
  const double s = add(a, b), t = sub(s, a);
  return {s, add(sub(a, sub(s, t)), sub(b, t))};
}
WARPGRADE_DEVICE Pair ordered_sum(double larger, double smaller) {
  const double s = add(larger, smaller);
  return {s, sub(smaller, sub(s, larger))};
}
WARPGRADE_DEVICE Pair product(double a, double b) {
  const double p = mul(a, b);
  return {p, fused(a, b, -p)};
}
/// The exponent of a finite number that is not 0: |a| is at least 2^exponent, and less than twice that.
WARPGRADE_DEVICE int exponent_of(double a) {
  const int exponent = static_cast<int>(__builtin_bit_cast(long long, a) >> 52 & 0x7ff);
  if (exponent != 0) return exponent - 1023;
  return 11 - __builtin_clzll(__builtin_bit_cast(unsigned long long, a) & 0xfffffffffffffull) - 1023 + 1;
}
WARPGRADE_DEVICE Pair operator-(Pair a) {
  return {-a.hi, -a.lo};
}
WARPGRADE_DEVICE Pair operator+(Pair a, Pair b) {
  const Pair s = sum(a.hi, b.hi);
  return ordered_sum(s.hi, add(s.lo, add(a.lo, b.lo)));
}
WARPGRADE_DEVICE Pair operator+(Pair a, double b) {
  const Pair s = sum(a.hi, b);
  return ordered_sum(s.hi, add(s.lo, a.lo));
}
WARPGRADE_DEVICE Pair operator*(Pair a, Pair b) {
  const Pair p = product(a.hi, b.hi);
  return ordered_sum(p.hi, fused(a.hi, b.lo, fused(a.lo, b.hi, p.lo)));
}
WARPGRADE_DEVICE Pair operator*(Pair a, double b) {
  const Pair p = product(a.hi, b);
  return ordered_sum(p.hi, fused(a.lo, b, p.lo));
}
WARPGRADE_DEVICE Pair operator/(Pair a, Pair b) {
  const double q = quotient(a.hi, b.hi);
  const double rest = add(add(fused(-q, b.hi, a.hi), a.lo), -mul(q, b.lo));
  return ordered_sum(q, quotient(rest, b.hi));
}
WARPGRADE_DEVICE Pair root(Pair a) {
  const double r = root(a.hi);
  if (r == 0) return {r, 0};
  return ordered_sum(r, quotient(add(fused(-r, r, a.hi), a.lo), 2 * r));
}

WARPGRADE_DEVICE long long bits(double a) {
  return __builtin_bit_cast(long long, a);
}
WARPGRADE_DEVICE double from_bits(long long a) {
  return __builtin_bit_cast(double, a);
}
WARPGRADE_DEVICE bool is_nan(double a) {
  return a != a;
}
WARPGRADE_DEVICE bool is_infinite(double a) {
  return __builtin_fabs(a) == __builtin_inf();
}
WARPGRADE_DEVICE double with_sign(double a, double sign) {
  return __builtin_copysign(a, sign);
}

/// a 2^n for any n, rounded once.
WARPGRADE_DEVICE double scaled(double a, int n) {
  if (n > 1023) {
    a *= 0x1p1023, n -= 1023;
    if (n > 1023) a *= 0x1p1023, n = n - 1023 > 1023 ? 1023 : n - 1023;
  } else if (n < -1022) {
    a *= 0x1p-969, n += 969;  // 53 bits of room: the last step alone may round
    if (n < -1022) a *= 0x1p-969, n = n + 969 < -1022 ? -1022 : n + 969;
  }
  return a * from_bits(static_cast<long long>(n + 1023) << 52);
}

}  // namespace warpgrade_math
