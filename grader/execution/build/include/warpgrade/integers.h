// Integers: bits, high halves of products, sums of differences, bytes side by side.
#pragma once

#include "warpgrade/double_double.h"

WARPGRADE_WHEN_USED int __clz(int a) {
  return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a));
}
WARPGRADE_WHEN_USED int __clzll(long long a) {
  return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a));
}
WARPGRADE_WHEN_USED int __popc(unsigned a) {
  return __builtin_popcount(a);
}
WARPGRADE_WHEN_USED int __popcll(unsigned long long a) {
  return __builtin_popcountll(a);
}
WARPGRADE_WHEN_USED int __ffs(int a) {
  return __builtin_ffs(a);
}
WARPGRADE_WHEN_USED int __ffsll(long long a) {
  return __builtin_ffsll(a);
}
WARPGRADE_WHEN_USED unsigned __brev(unsigned a) {
  return __builtin_bitreverse32(a);
}
WARPGRADE_WHEN_USED unsigned long long __brevll(unsigned long long a) {
  return __builtin_bitreverse64(a);
}

WARPGRADE_WHEN_USED int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
WARPGRADE_WHEN_USED unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
WARPGRADE_WHEN_USED long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
WARPGRADE_WHEN_USED unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
WARPGRADE_WHEN_USED int __mul24(int a, int b) {
  return __nvvm_mul24_i(a, b);
}
WARPGRADE_WHEN_USED int __umul24(unsigned a, unsigned b) {
  return static_cast<int>(__nvvm_mul24_ui(a, b));
}

#define WARPGRADE_THREE_WORDS(name, A, C, instruction)                           \
  WARPGRADE_WHEN_USED C name(A a, A b, C c) {                                    \
    C result;                                                                    \
    asm(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c)); \
    return result;                                                               \
  }
WARPGRADE_THREE_WORDS(warpgrade_permute, unsigned, unsigned, "prmt.b32")
WARPGRADE_THREE_WORDS(warpgrade_sad, int, unsigned, "sad.s32")
WARPGRADE_THREE_WORDS(__usad, unsigned, unsigned, "sad.u32")
WARPGRADE_THREE_WORDS(__funnelshift_l, unsigned, unsigned, "shf.l.wrap.b32")
WARPGRADE_THREE_WORDS(__funnelshift_lc, unsigned, unsigned, "shf.l.clamp.b32")
WARPGRADE_THREE_WORDS(__funnelshift_r, unsigned, unsigned, "shf.r.wrap.b32")
WARPGRADE_THREE_WORDS(__funnelshift_rc, unsigned, unsigned, "shf.r.clamp.b32")
WARPGRADE_THREE_WORDS(__dp4a, int, int, "dp4a.s32.s32")
WARPGRADE_THREE_WORDS(__dp4a, unsigned, unsigned, "dp4a.u32.u32")
WARPGRADE_THREE_WORDS(__dp2a_lo, int, int, "dp2a.lo.s32.s32")
WARPGRADE_THREE_WORDS(__dp2a_lo, unsigned, unsigned, "dp2a.lo.u32.u32")
WARPGRADE_THREE_WORDS(__dp2a_hi, int, int, "dp2a.hi.s32.s32")
WARPGRADE_THREE_WORDS(__dp2a_hi, unsigned, unsigned, "dp2a.hi.u32.u32")
#undef WARPGRADE_THREE_WORDS
/// Of each digit of the selector the lowest three bits count; the fourth would repeat a sign.
WARPGRADE_WHEN_USED unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  return warpgrade_permute(a, b, selector & 0x7777);
}
WARPGRADE_WHEN_USED unsigned __sad(int a, int b, unsigned c) {
  return warpgrade_sad(a, b, c);
}

WARPGRADE_WHEN_USED int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
WARPGRADE_WHEN_USED int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
WARPGRADE_WHEN_USED unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
WARPGRADE_WHEN_USED unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

/// The position of the n-th set bit, counted from `base` upwards, or downwards when n is negative; ~0 when
/// there is none.
WARPGRADE_WHEN_USED unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return base < 32 && (mask >> base & 1) ? base : 0xffffffff;
  const int step = n > 0 ? 1 : -1;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && (n -= step) == 0) return static_cast<unsigned>(at);
  return 0xffffffff;
}

// Two halfwords or four bytes in a word, each by itself: carries are kept from the neighbour.
#define WARPGRADE_SIDE_BY_SIDE(name, tops)                            \
  WARPGRADE_WHEN_USED unsigned __vadd##name(unsigned a, unsigned b) { \
    return ((a & ~(tops)) + (b & ~(tops))) ^ ((a ^ b) & (tops));      \
  }                                                                   \
  WARPGRADE_WHEN_USED unsigned __vsub##name(unsigned a, unsigned b) { \
    return ((a | (tops)) - (b & ~(tops))) ^ ((a ^ ~b) & (tops));      \
  }
WARPGRADE_SIDE_BY_SIDE(2, 0x80008000u)
WARPGRADE_SIDE_BY_SIDE(4, 0x80808080u)
#undef WARPGRADE_SIDE_BY_SIDE
// One operation on each part, part by part.
#define WARPGRADE_PARTS(name, T, bits, expression)                             \
  WARPGRADE_WHEN_USED unsigned name(unsigned left, unsigned right) {           \
    unsigned result = 0;                                                       \
    for (int i = 0; i < 32; i += bits) {                                       \
      const T a = static_cast<T>(left >> i), b = static_cast<T>(right >> i);   \
      result |= (static_cast<unsigned>(expression) & ((1u << bits) - 1)) << i; \
    }                                                                          \
    return result;                                                             \
  }
#define WARPGRADE_ALL_PARTS(n, S, U, bits)                          \
  WARPGRADE_PARTS(__vmaxs##n, S, bits, a > b ? a : b)               \
  WARPGRADE_PARTS(__vmaxu##n, U, bits, a > b ? a : b)               \
  WARPGRADE_PARTS(__vmins##n, S, bits, a < b ? a : b)               \
  WARPGRADE_PARTS(__vminu##n, U, bits, a < b ? a : b)               \
  WARPGRADE_PARTS(__vabsdiffs##n, S, bits, a > b ? a - b : b - a)   \
  WARPGRADE_PARTS(__vabsdiffu##n, U, bits, a > b ? a - b : b - a)   \
  WARPGRADE_PARTS(__vavgs##n, S, bits, (a + b + (a + b >= 0)) >> 1) \
  WARPGRADE_PARTS(__vavgu##n, U, bits, (a + b + 1) >> 1)            \
  WARPGRADE_PARTS(__vcmpeq##n, U, bits, a == b ? -1 : 0)            \
  WARPGRADE_PARTS(__vcmpne##n, U, bits, a != b ? -1 : 0)            \
  WARPGRADE_PARTS(__vcmpgts##n, S, bits, a > b ? -1 : 0)            \
  WARPGRADE_PARTS(__vcmpgtu##n, U, bits, a > b ? -1 : 0)            \
  WARPGRADE_PARTS(__vcmplts##n, S, bits, a < b ? -1 : 0)            \
  WARPGRADE_PARTS(__vcmpltu##n, U, bits, a < b ? -1 : 0)            \
  WARPGRADE_PARTS(__vseteq##n, U, bits, a == b)                     \
  WARPGRADE_PARTS(__vsetgtu##n, U, bits, a > b)
WARPGRADE_ALL_PARTS(2, short, unsigned short, 16)
WARPGRADE_ALL_PARTS(4, signed char, unsigned char, 8)
#undef WARPGRADE_PARTS
#undef WARPGRADE_ALL_PARTS

// min and max of the types that CUDA has them for, on both sides.
#define WARPGRADE_MIN_MAX(T)                                   \
  static __forceinline__ __host__ __device__ T min(T a, T b) { \
    return b < a ? b : a;                                      \
  }                                                            \
  static __forceinline__ __host__ __device__ T max(T a, T b) { \
    return a < b ? b : a;                                      \
  }
WARPGRADE_MIN_MAX(int)
WARPGRADE_MIN_MAX(unsigned int)
WARPGRADE_MIN_MAX(long)
WARPGRADE_MIN_MAX(unsigned long)
WARPGRADE_MIN_MAX(long long)
WARPGRADE_MIN_MAX(unsigned long long)
#undef WARPGRADE_MIN_MAX
// Of a signed and an unsigned number: as unsigned ones.
#define WARPGRADE_MIN_MAX_MIXED(S, U)                          \
  static __forceinline__ __host__ __device__ U min(S a, U b) { \
    return min(static_cast<U>(a), b);                          \
  }                                                            \
  static __forceinline__ __host__ __device__ U min(U a, S b) { \
    return min(a, static_cast<U>(b));                          \
  }                                                            \
  static __forceinline__ __host__ __device__ U max(S a, U b) { \
    return max(static_cast<U>(a), b);                          \
  }                                                            \
  static __forceinline__ __host__ __device__ U max(U a, S b) { \
    return max(a, static_cast<U>(b));                          \
  }
WARPGRADE_MIN_MAX_MIXED(int, unsigned int)
WARPGRADE_MIN_MAX_MIXED(long, unsigned long)
WARPGRADE_MIN_MAX_MIXED(long long, unsigned long long)
#undef WARPGRADE_MIN_MAX_MIXED
static __forceinline__ __host__ __device__ float min(float a, float b) {
  return __builtin_fminf(a, b);
}
static __forceinline__ __host__ __device__ float max(float a, float b) {
  return __builtin_fmaxf(a, b);
}
static __forceinline__ __host__ __device__ double min(double a, double b) {
  return __builtin_fmin(a, b);
}
static __forceinline__ __host__ __device__ double max(double a, double b) {
  return __builtin_fmax(a, b);
}
static __forceinline__ __host__ __device__ double min(float a, double b) {
  return __builtin_fmin(a, b);
}
static __forceinline__ __host__ __device__ double min(double a, float b) {
  return __builtin_fmin(a, b);
}
static __forceinline__ __host__ __device__ double max(float a, double b) {
  return __builtin_fmax(a, b);
}
static __forceinline__ __host__ __device__ double max(double a, float b) {
  return __builtin_fmax(a, b);
}
static __forceinline__ __host__ __device__ unsigned int umin(unsigned int a, unsigned int b) {
  return min(a, b);
}
static __forceinline__ __host__ __device__ unsigned int umax(unsigned int a, unsigned int b) {
  return max(a, b);
}
static __forceinline__ __host__ __device__ long long llmin(long long a, long long b) {
  return min(a, b);
}
static __forceinline__ __host__ __device__ long long llmax(long long a, long long b) {
  return max(a, b);
}

WARPGRADE_WHEN_USED int abs(int a) {
  return a < 0 ? -a : a;
}
WARPGRADE_WHEN_USED long abs(long a) {
  return a < 0 ? -a : a;
}
WARPGRADE_WHEN_USED long long abs(long long a) {
  return a < 0 ? -a : a;
}
WARPGRADE_WHEN_USED long labs(long a) {
  return a < 0 ? -a : a;
}
WARPGRADE_WHEN_USED long long llabs(long long a) {
  return a < 0 ? -a : a;
}

namespace std {
using ::abs;  // of integers, beside those of functions.h
}
