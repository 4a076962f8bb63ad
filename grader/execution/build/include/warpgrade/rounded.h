// Arithmetic that names its rounding, conversions, and the functions that are one instruction of the
// hardware.
#pragma once

#include "warpgrade/double_double.h"

#define WARPGRADE_ROUNDED_1(name, T, builtin) \
  WARPGRADE_WHEN_USED T name(T a) {           \
    return builtin(a);                        \
  }
#define WARPGRADE_ROUNDED_2(name, T, builtin) \
  WARPGRADE_WHEN_USED T name(T a, T b) {      \
    return builtin(a, b);                     \
  }
#define WARPGRADE_ROUNDED_3(name, T, builtin) \
  WARPGRADE_WHEN_USED T name(T a, T b, T c) { \
    return builtin(a, b, c);                  \
  }
// Never part of a fused operation, which only assembly sees to.
#define WARPGRADE_UNFUSED(name, T, instruction, letter)                          \
  WARPGRADE_WHEN_USED T name(T a, T b) {                                         \
    T result;                                                                    \
    asm(instruction " %0, %1, %2;" : "=" letter(result) : letter(a), letter(b)); \
    return result;                                                               \
  }
// m: the rounding, rn to nearest even, rz towards 0, rd down, ru up; p: as PTX calls it
#define WARPGRADE_ROUNDED(m, p)                                \
  WARPGRADE_UNFUSED(__fadd_##m, float, "add." #p ".f32", "f")  \
  WARPGRADE_UNFUSED(__fsub_##m, float, "sub." #p ".f32", "f")  \
  WARPGRADE_UNFUSED(__fmul_##m, float, "mul." #p ".f32", "f")  \
  WARPGRADE_ROUNDED_3(__fmaf_##m, float, __nvvm_fma_##p##_f)   \
  WARPGRADE_ROUNDED_2(__fdiv_##m, float, __nvvm_div_##p##_f)   \
  WARPGRADE_ROUNDED_1(__frcp_##m, float, __nvvm_rcp_##p##_f)   \
  WARPGRADE_ROUNDED_1(__fsqrt_##m, float, __nvvm_sqrt_##p##_f) \
  WARPGRADE_UNFUSED(__dadd_##m, double, "add." #p ".f64", "d") \
  WARPGRADE_UNFUSED(__dsub_##m, double, "sub." #p ".f64", "d") \
  WARPGRADE_UNFUSED(__dmul_##m, double, "mul." #p ".f64", "d") \
  WARPGRADE_ROUNDED_3(__fma_##m, double, __nvvm_fma_##p##_d)   \
  WARPGRADE_ROUNDED_2(__ddiv_##m, double, __nvvm_div_##p##_d)  \
  WARPGRADE_ROUNDED_1(__drcp_##m, double, __nvvm_rcp_##p##_d)  \
  WARPGRADE_ROUNDED_1(__dsqrt_##m, double, __nvvm_sqrt_##p##_d)
WARPGRADE_ROUNDED(rn, rn)
WARPGRADE_ROUNDED(rz, rz)
WARPGRADE_ROUNDED(rd, rm)
WARPGRADE_ROUNDED(ru, rp)
#undef WARPGRADE_ROUNDED
#undef WARPGRADE_ROUNDED_1
#undef WARPGRADE_ROUNDED_2
#undef WARPGRADE_ROUNDED_3
#undef WARPGRADE_UNFUSED

#define WARPGRADE_CONVERSION(name, To, From, out, in, instruction) \
  WARPGRADE_WHEN_USED To name(From value) {                        \
    To result;                                                     \
    asm(instruction " %0, %1;" : "=" out(result) : in(value));     \
    return result;                                                 \
  }
// To whole numbers (rni and its relatives) and from them (rn ...), in each rounding.
#define WARPGRADE_CONVERSIONS(number, N, n, nl, whole, W, w, wl)                    \
  WARPGRADE_CONVERSION(__##number##2##whole##_rn, W, N, wl, nl, "cvt.rni." w "." n) \
  WARPGRADE_CONVERSION(__##number##2##whole##_rz, W, N, wl, nl, "cvt.rzi." w "." n) \
  WARPGRADE_CONVERSION(__##number##2##whole##_rd, W, N, wl, nl, "cvt.rmi." w "." n) \
  WARPGRADE_CONVERSION(__##number##2##whole##_ru, W, N, wl, nl, "cvt.rpi." w "." n)
#define WARPGRADE_CONVERSIONS_BACK(whole, W, w, wl, number, N, n, nl)              \
  WARPGRADE_CONVERSION(__##whole##2##number##_rn, N, W, nl, wl, "cvt.rn." n "." w) \
  WARPGRADE_CONVERSION(__##whole##2##number##_rz, N, W, nl, wl, "cvt.rz." n "." w) \
  WARPGRADE_CONVERSION(__##whole##2##number##_rd, N, W, nl, wl, "cvt.rm." n "." w) \
  WARPGRADE_CONVERSION(__##whole##2##number##_ru, N, W, nl, wl, "cvt.rp." n "." w)

WARPGRADE_CONVERSIONS(float, float, "f32", "f", int, int, "s32", "r")
WARPGRADE_CONVERSIONS(float, float, "f32", "f", uint, unsigned, "u32", "r")
WARPGRADE_CONVERSIONS(float, float, "f32", "f", ll, long long, "s64", "l")
WARPGRADE_CONVERSIONS(float, float, "f32", "f", ull, unsigned long long, "u64", "l")
WARPGRADE_CONVERSIONS(double, double, "f64", "d", int, int, "s32", "r")
WARPGRADE_CONVERSIONS(double, double, "f64", "d", uint, unsigned, "u32", "r")
WARPGRADE_CONVERSIONS(double, double, "f64", "d", ll, long long, "s64", "l")
WARPGRADE_CONVERSIONS(double, double, "f64", "d", ull, unsigned long long, "u64", "l")
WARPGRADE_CONVERSIONS_BACK(int, int, "s32", "r", float, float, "f32", "f")
WARPGRADE_CONVERSIONS_BACK(uint, unsigned, "u32", "r", float, float, "f32", "f")
WARPGRADE_CONVERSIONS_BACK(ll, long long, "s64", "l", float, float, "f32", "f")
WARPGRADE_CONVERSIONS_BACK(ll, long long, "s64", "l", double, double, "f64", "d")
WARPGRADE_CONVERSIONS_BACK(ull, unsigned long long, "u64", "l", float, float, "f32", "f")
WARPGRADE_CONVERSIONS_BACK(ull, unsigned long long, "u64", "l", double, double, "f64", "d")
WARPGRADE_CONVERSION(__int2double_rn, double, int, "d", "r", "cvt.rn.f64.s32")
WARPGRADE_CONVERSION(__uint2double_rn, double, unsigned, "d", "r", "cvt.rn.f64.u32")
WARPGRADE_CONVERSION(__double2float_rn, float, double, "f", "d", "cvt.rn.f32.f64")
WARPGRADE_CONVERSION(__double2float_rz, float, double, "f", "d", "cvt.rz.f32.f64")
WARPGRADE_CONVERSION(__double2float_rd, float, double, "f", "d", "cvt.rm.f32.f64")
WARPGRADE_CONVERSION(__double2float_ru, float, double, "f", "d", "cvt.rp.f32.f64")

// The same bits as another type
WARPGRADE_WHEN_USED int __float_as_int(float a) {
  return __builtin_bit_cast(int, a);
}
WARPGRADE_WHEN_USED unsigned __float_as_uint(float a) {
  return __builtin_bit_cast(unsigned, a);
}
WARPGRADE_WHEN_USED float __int_as_float(int a) {
  return __builtin_bit_cast(float, a);
}
WARPGRADE_WHEN_USED float __uint_as_float(unsigned a) {
  return __builtin_bit_cast(float, a);
}
WARPGRADE_WHEN_USED long long __double_as_longlong(double a) {
  return __builtin_bit_cast(long long, a);
}
WARPGRADE_WHEN_USED double __longlong_as_double(long long a) {
  return __builtin_bit_cast(double, a);
}
WARPGRADE_WHEN_USED int __double2hiint(double a) {
  return static_cast<int>(warpgrade_math::bits(a) >> 32);
}
WARPGRADE_WHEN_USED int __double2loint(double a) {
  return static_cast<int>(warpgrade_math::bits(a));
}
WARPGRADE_WHEN_USED double __hiloint2double(int high, int low) {
  return warpgrade_math::from_bits(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}

// Fast and less exact: what the hardware approximates
WARPGRADE_CONVERSION(warpgrade_exp2_approx, float, float, "f", "f", "ex2.approx.f32")
WARPGRADE_CONVERSION(warpgrade_log2_approx, float, float, "f", "f", "lg2.approx.f32")
WARPGRADE_CONVERSION(__sinf, float, float, "f", "f", "sin.approx.f32")
WARPGRADE_CONVERSION(__cosf, float, float, "f", "f", "cos.approx.f32")

WARPGRADE_CONVERSION(__saturatef, float, float, "f", "f", "cvt.sat.f32.f32")
WARPGRADE_WHEN_USED float __frsqrt_rn(float a) {
  return static_cast<float>(1.0 / warpgrade_math::root(a));
}
WARPGRADE_WHEN_USED float __fdividef(float a, float b) {
  return __nvvm_div_approx_f(a, b);
}
WARPGRADE_WHEN_USED float __tanf(float a) {
  return __fdividef(__sinf(a), __cosf(a));
}
WARPGRADE_WHEN_USED float __expf(float a) {
  return warpgrade_exp2_approx(__fmul_rn(a, 0x1.715476p+0f));
}
WARPGRADE_WHEN_USED float __exp10f(float a) {
  return warpgrade_exp2_approx(__fmul_rn(a, 0x1.a934f0p+1f));
}
WARPGRADE_WHEN_USED float __log2f(float a) {
  return warpgrade_log2_approx(a);
}
WARPGRADE_WHEN_USED float __logf(float a) {
  return __fmul_rn(warpgrade_log2_approx(a), 0x1.62e430p-1f);
}
WARPGRADE_WHEN_USED float __log10f(float a) {
  return __fmul_rn(warpgrade_log2_approx(a), 0x1.344136p-2f);
}
WARPGRADE_WHEN_USED float __powf(float a, float b) {
  return warpgrade_exp2_approx(__fmul_rn(b, warpgrade_log2_approx(a)));
}
WARPGRADE_WHEN_USED void __sincosf(float a, float *sine, float *cosine) {
  *sine = __sinf(a), *cosine = __cosf(a);
}

#undef WARPGRADE_CONVERSION
#undef WARPGRADE_CONVERSIONS
#undef WARPGRADE_CONVERSIONS_BACK
