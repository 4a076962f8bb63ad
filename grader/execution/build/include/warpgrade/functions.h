// The functions of <math.h> in device code. Those of floats are computed as doubles and rounded once; those
// that the hardware has are one instruction.
#pragma once

#include <type_traits>

#include "warpgrade/angles.h"
#include "warpgrade/exp_log.h"

namespace warpgrade_math {
template <class T, bool whole>
struct IfWhole {};
template <class T>
struct IfWhole<T, true> {
  typedef double type;
};
template <class T>
using WholeAsDouble = typename IfWhole<T, std::is_integral<T>::value>::type;
template <class T>
struct Wide {
  typedef double type;
};
template <>
struct Wide<float> {
  typedef float type;
};
/// The type in which two numbers meet: float when both are, double when one is wider or whole.
template <class A, class B>
using Meet = decltype(typename Wide<A>::type() + typename Wide<B>::type());
template <class A, class B, bool differ>
struct IfDifferent {};
template <class A, class B>
struct IfDifferent<A, B, true> {
  typedef Meet<A, B> type;
};
template <class A, class B>
using MeetIfDifferent = typename IfDifferent<
    A, B, std::is_arithmetic<A>::value && std::is_arithmetic<B>::value && !std::is_same<A, B>::value>::type;

/// x modulo y, exactly: y is taken from x as often as it fits, largest multiples first.
WARPGRADE_DEVICE double fmod(double x, double y) {
  double rest = __builtin_fabs(x);
  y = __builtin_fabs(y);
  if (is_nan(x) || is_nan(y) || is_infinite(x) || y == 0) return __builtin_nan("");
  if (is_infinite(y)) return x;
  while (rest >= y) {
    const int apart = exponent_of(rest) - exponent_of(y);
    double multiple = scaled(y, apart);
    if (multiple > rest) multiple = scaled(y, apart - 1);
    rest = sub(rest, multiple);
  }
  return with_sign(rest, x);
}
WARPGRADE_DEVICE double remainder(double x, double y) {
  if (is_nan(x) || is_nan(y) || is_infinite(x) || y == 0) return __builtin_nan("");
  const double size = __builtin_fabs(y);
  if (is_infinite(y)) return x;
  double rest = __builtin_fabs(size < 0x1p1022 ? fmod(x, 2 * size) : x);
  if (size < 0x1p-1021 ? 2 * rest > size : rest > 0.5 * size) {
    rest = sub(rest, size);
    if (size < 0x1p-1021 ? 2 * rest >= size : rest >= 0.5 * size) rest = sub(rest, size);
  }
  return __builtin_signbit(x) ? -rest : rest;
}
/// The next double (float) after x on the way to y.
template <class T, class Bits>
WARPGRADE_DEVICE T after(T x, T y, T smallest) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return y > 0 ? smallest : -smallest;
  Bits number = __builtin_bit_cast(Bits, x);
  number += (x < y) == (x > 0) ? 1 : -1;
  return __builtin_bit_cast(T, number);
}
WARPGRADE_DEVICE double frexp(double x, int *exponent) {
  *exponent = 0;
  if (x == 0 || is_nan(x) || is_infinite(x)) return x;
  int more = 0;
  if (__builtin_fabs(x) < 0x1p-1022) x *= 0x1p54, more = -54;
  *exponent = static_cast<int>(bits(x) >> 52 & 0x7ff) - 1022 + more;
  return from_bits((bits(x) & ~(0x7ffll << 52)) | 1022ll << 52);
}
WARPGRADE_DEVICE double logb(double x) {
  int exponent;
  if (x == 0) return -__builtin_inf();
  if (is_nan(x) || is_infinite(x)) return x * x;
  frexp(x, &exponent);
  return exponent - 1;
}
WARPGRADE_DEVICE double fdim(double x, double y) {
  return x != x || y != y ? x + y : x > y ? x - y : 0;
}
WARPGRADE_DEVICE double rsqrt(double x) {
  const double r = quotient(1, root(x));
  if (is_nan(r) || r == 0 || is_infinite(r)) return r;
  if (x < 0x1p-1000) return rsqrt(x * 0x1p200) * 0x1p100;
  if (x > 0x1p1000) return rsqrt(x * 0x1p-200) * 0x1p-100;
  const Pair square = product(r, r);
  const double rest = add(fused(-x, square.hi, 1), mul(-x, square.lo));
  return fused(mul(r, 0.5), rest, r);
}
WARPGRADE_DEVICE double rcbrt(double x) {
  return 1 / cbrt(x);
}
WARPGRADE_DEVICE double rhypot(double x, double y) {
  return 1 / hypot(x, y);
}
WARPGRADE_DEVICE double normcdf(double x) {
  return x < -38.5 ? 0 : 0.5 * erfc(-0x1.6a09e667f3bcdp-1 * x);
}
}  // namespace warpgrade_math

// double f(double), float f(float), float ff(float), double f(whole number)
#define WARPGRADE_FUNCTION_OF(name, in_double, in_float)        \
  WARPGRADE_DEVICE double name(double x) {                      \
    return in_double;                                           \
  }                                                             \
  WARPGRADE_DEVICE float name##f(float x) {                     \
    return in_float;                                            \
  }                                                             \
  WARPGRADE_DEVICE float name(float x) {                        \
    return name##f(x);                                          \
  }                                                             \
  template <class T>                                            \
  WARPGRADE_DEVICE warpgrade_math::WholeAsDouble<T> name(T x) { \
    return name(static_cast<double>(x));                        \
  }
#define WARPGRADE_FUNCTION(name)                       \
  WARPGRADE_FUNCTION_OF(name, warpgrade_math::name(x), \
                        static_cast<float>(warpgrade_math::name(static_cast<double>(x))))
#define WARPGRADE_BUILTIN(name, ff) WARPGRADE_FUNCTION_OF(name, __builtin_##name(x), __builtin_##ff(x))

WARPGRADE_FUNCTION(sin)
WARPGRADE_FUNCTION(cos)
WARPGRADE_FUNCTION(tan)
WARPGRADE_FUNCTION(sinpi)
WARPGRADE_FUNCTION(cospi)
WARPGRADE_FUNCTION(asin)
WARPGRADE_FUNCTION(acos)
WARPGRADE_FUNCTION(atan)
WARPGRADE_FUNCTION(sinh)
WARPGRADE_FUNCTION(cosh)
WARPGRADE_FUNCTION(tanh)
WARPGRADE_FUNCTION(asinh)
WARPGRADE_FUNCTION(acosh)
WARPGRADE_FUNCTION(atanh)
WARPGRADE_FUNCTION(exp)
WARPGRADE_FUNCTION(exp2)
WARPGRADE_FUNCTION(exp10)
WARPGRADE_FUNCTION(expm1)
WARPGRADE_FUNCTION(log)
WARPGRADE_FUNCTION(log2)
WARPGRADE_FUNCTION(log10)
WARPGRADE_FUNCTION(log1p)
WARPGRADE_FUNCTION(logb)
WARPGRADE_FUNCTION(cbrt)
WARPGRADE_FUNCTION(rcbrt)
WARPGRADE_FUNCTION(erf)
WARPGRADE_FUNCTION(erfc)
WARPGRADE_FUNCTION(normcdf)
WARPGRADE_FUNCTION_OF(sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_rn_f(x))
WARPGRADE_FUNCTION_OF(rsqrt, warpgrade_math::rsqrt(x), __nvvm_rsqrt_approx_f(x))
WARPGRADE_BUILTIN(fabs, fabsf)
WARPGRADE_BUILTIN(floor, floorf)
WARPGRADE_BUILTIN(ceil, ceilf)
WARPGRADE_BUILTIN(trunc, truncf)
WARPGRADE_BUILTIN(rint, rintf)
WARPGRADE_BUILTIN(nearbyint, nearbyintf)
WARPGRADE_BUILTIN(round, roundf)
#undef WARPGRADE_FUNCTION
#undef WARPGRADE_FUNCTION_OF
#undef WARPGRADE_BUILTIN

#define WARPGRADE_FUNCTION_OF(name, in_double, in_float)                  \
  WARPGRADE_DEVICE double name(double x, double y) {                      \
    return in_double;                                                     \
  }                                                                       \
  WARPGRADE_DEVICE float name##f(float x, float y) {                      \
    return in_float;                                                      \
  }                                                                       \
  WARPGRADE_DEVICE float name(float x, float y) {                         \
    return name##f(x, y);                                                 \
  }                                                                       \
  template <class A, class B>                                             \
  WARPGRADE_DEVICE warpgrade_math::MeetIfDifferent<A, B> name(A x, B y) { \
    typedef warpgrade_math::Meet<A, B> T;                                 \
    return name(static_cast<T>(x), static_cast<T>(y));                    \
  }
#define WARPGRADE_FUNCTION(name)        \
  WARPGRADE_FUNCTION_OF(                \
      name, warpgrade_math::name(x, y), \
      static_cast<float>(warpgrade_math::name(static_cast<double>(x), static_cast<double>(y))))
WARPGRADE_FUNCTION(pow)
WARPGRADE_FUNCTION(atan2)
WARPGRADE_FUNCTION(fmod)
WARPGRADE_FUNCTION(remainder)
WARPGRADE_FUNCTION(hypot)
WARPGRADE_FUNCTION(rhypot)
WARPGRADE_FUNCTION_OF(fdim, warpgrade_math::fdim(x, y), x != x || y != y ? x + y : x > y ? x - y : 0)
WARPGRADE_FUNCTION_OF(fmin, __builtin_fmin(x, y), __builtin_fminf(x, y))
WARPGRADE_FUNCTION_OF(fmax, __builtin_fmax(x, y), __builtin_fmaxf(x, y))
WARPGRADE_FUNCTION_OF(copysign, __builtin_copysign(x, y), __builtin_copysignf(x, y))
WARPGRADE_FUNCTION_OF(nextafter, (warpgrade_math::after<double, long long>(x, y, 0x1p-1074)),
                      (warpgrade_math::after<float, int>(x, y, 0x1p-149f)))
#undef WARPGRADE_FUNCTION
#undef WARPGRADE_FUNCTION_OF

WARPGRADE_DEVICE double fma(double x, double y, double z) {
  return __nvvm_fma_rn_d(x, y, z);
}
WARPGRADE_DEVICE float fmaf(float x, float y, float z) {
  return __nvvm_fma_rn_f(x, y, z);
}
WARPGRADE_DEVICE float fma(float x, float y, float z) {
  return fmaf(x, y, z);
}
WARPGRADE_DEVICE double fdivide(double x, double y) {
  return x / y;
}
WARPGRADE_DEVICE float fdividef(float x, float y) {
  return x / y;
}
WARPGRADE_DEVICE float abs(float x) {
  return __builtin_fabsf(x);
}
WARPGRADE_DEVICE double abs(double x) {
  return __builtin_fabs(x);
}

// Whole results, and parts of a number
#define WARPGRADE_WHOLE(name, T, round) \
  WARPGRADE_DEVICE T name(double x) {   \
    return static_cast<T>(round(x));    \
  }                                     \
  WARPGRADE_DEVICE T name(float x) {    \
    return static_cast<T>(round(x));    \
  }                                     \
  WARPGRADE_DEVICE T name##f(float x) { \
    return static_cast<T>(round(x));    \
  }
WARPGRADE_WHOLE(lround, long, round)
WARPGRADE_WHOLE(llround, long long, round)
WARPGRADE_WHOLE(lrint, long, rint)
WARPGRADE_WHOLE(llrint, long long, rint)
WARPGRADE_WHOLE(ilogb, int, logb)
#undef WARPGRADE_WHOLE
#define WARPGRADE_PARTS(T, s)                                               \
  WARPGRADE_DEVICE T ldexp##s(T x, int n) {                                 \
    return static_cast<T>(warpgrade_math::scaled(x, n));                    \
  }                                                                         \
  WARPGRADE_DEVICE T scalbn##s(T x, int n) {                                \
    return static_cast<T>(warpgrade_math::scaled(x, n));                    \
  }                                                                         \
  WARPGRADE_DEVICE T frexp##s(T x, int *n) {                                \
    return static_cast<T>(warpgrade_math::frexp(x, n));                     \
  }                                                                         \
  WARPGRADE_DEVICE T modf##s(T x, T *whole) {                               \
    *whole = trunc(x);                                                      \
    return copysign(warpgrade_math::is_infinite(x) ? T(0) : x - *whole, x); \
  }                                                                         \
  WARPGRADE_DEVICE void sincos##s(T x, T *sine, T *cosine) {                \
    *sine = sin(x), *cosine = cos(x);                                       \
  }                                                                         \
  WARPGRADE_DEVICE void sincospi##s(T x, T *sine, T *cosine) {              \
    *sine = sinpi(x), *cosine = cospi(x);                                   \
  }
WARPGRADE_PARTS(float, f)
WARPGRADE_PARTS(double, )
#undef WARPGRADE_PARTS
WARPGRADE_DEVICE float ldexp(float x, int n) {
  return ldexpf(x, n);
}
WARPGRADE_DEVICE float scalbn(float x, int n) {
  return scalbnf(x, n);
}
WARPGRADE_DEVICE float frexp(float x, int *n) {
  return frexpf(x, n);
}
WARPGRADE_DEVICE float modf(float x, float *whole) {
  return modff(x, whole);
}
WARPGRADE_DEVICE void sincos(float x, float *sine, float *cosine) {
  sincosf(x, sine, cosine);
}

#define WARPGRADE_TEST(T)                        \
  WARPGRADE_DEVICE bool isnan(T x) {             \
    return x != x;                               \
  }                                              \
  WARPGRADE_DEVICE bool isinf(T x) {             \
    return __builtin_fabs(x) == __builtin_inf(); \
  }                                              \
  WARPGRADE_DEVICE bool isfinite(T x) {          \
    return __builtin_fabs(x) < __builtin_inf();  \
  }                                              \
  WARPGRADE_DEVICE bool signbit(T x) {           \
    return __builtin_signbit(x) != 0;            \
  }
WARPGRADE_TEST(float)
WARPGRADE_TEST(double)
#undef WARPGRADE_TEST
WARPGRADE_DEVICE float nanf(const char *) {
  return __builtin_nanf("");
}
WARPGRADE_DEVICE double nan(const char *) {
  return __builtin_nan("");
}

// In namespace std too, where <cmath> has put those of the host.
namespace std {
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::rint;
using ::round;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
}  // namespace std
