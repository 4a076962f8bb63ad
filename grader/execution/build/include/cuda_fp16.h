// Half precision: the types __half (half) and __half2, conversions, arithmetic, comparisons.
#pragma once

#include "cuda_runtime.h"

/// 16 bits; on the host it can be made from a float and turned into one.
struct __half_raw {
  unsigned short x;
};
struct alignas(2) __half {
  unsigned short warpgrade_bits;

  __half() = default;
  __host__ __device__ __half(__half_raw raw) : warpgrade_bits(raw.x) {}
  __host__ __device__ __half(float value);
  __host__ __device__ __half(double value) : __half(static_cast<float>(value)) {}
  __host__ __device__ __half(int value) : __half(static_cast<float>(value)) {}
  __host__ __device__ __half(unsigned value) : __half(static_cast<float>(value)) {}
  __host__ __device__ operator float() const;
  __host__ __device__ operator __half_raw() const { return {warpgrade_bits}; }
};
typedef __half half;

// Rounded to nearest even by hand on the host, which may have no instruction for it.
static inline __host__ __device__ unsigned short warpgrade_half_of(float value) {
#if defined(__CUDA_ARCH__)
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const unsigned all = __builtin_bit_cast(unsigned, value), sign = all >> 16 & 0x8000,
                 size = all & 0x7fffffff;
  if (size > 0x7f800000) return static_cast<unsigned short>(0x7fff);
  if (size >= 0x477ff000) return static_cast<unsigned short>(sign | 0x7c00);
  if (size < 0x38800000) {  // below the smallest normal half: whole multiples of 2^-24
    const float scaled = __builtin_bit_cast(float, size) * 0x1p24f;
    return static_cast<unsigned short>(sign | static_cast<unsigned>(__builtin_rintf(scaled)));
  }
  const unsigned odd = size >> 13 & 1;
  return static_cast<unsigned short>(sign | ((size - 0x38000000 + 0xfff + odd) >> 13));
#endif
}
static inline __host__ __device__ float warpgrade_float_of(unsigned short bits) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }
  return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | fraction << 13);
#endif
}
inline __host__ __device__ __half::__half(float value) : warpgrade_bits(warpgrade_half_of(value)) {}
inline __host__ __device__ __half::operator float() const {
  return warpgrade_float_of(warpgrade_bits);
}

static inline __host__ __device__ __half __float2half(float a) {
  return __half(a);
}
static inline __host__ __device__ __half __float2half_rn(float a) {
  return __half(a);
}
static inline __host__ __device__ __half __double2half(double a) {
  return __half(a);
}
static inline __host__ __device__ float __half2float(__half a) {
  return static_cast<float>(a);
}
static inline __host__ __device__ __half __int2half_rn(int a) {
  return __half(a);
}
static inline __host__ __device__ __half __uint2half_rn(unsigned a) {
  return __half(a);
}
static inline __host__ __device__ int __half2int_rz(__half a) {
  return static_cast<int>(static_cast<float>(a));
}
static inline __host__ __device__ unsigned __half2uint_rz(__half a) {
  return static_cast<unsigned>(static_cast<float>(a));
}
static inline __host__ __device__ unsigned short __half_as_ushort(__half a) {
  return a.warpgrade_bits;
}
static inline __host__ __device__ short __half_as_short(__half a) {
  return static_cast<short>(a.warpgrade_bits);
}
static inline __host__ __device__ __half __ushort_as_half(unsigned short a) {
  return __half(__half_raw{a});
}
static inline __host__ __device__ __half __short_as_half(short a) {
  return __half(__half_raw{static_cast<unsigned short>(a)});
}

/// Two halves in one word, x in its low 16 bits.
struct WARPGRADE_TRIVIAL_ABI alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
  __host__ __device__ __half2(const __half2 &from) { word() = from.word(); }
  __host__ __device__ __half2 &operator=(const __half2 &from) {
    word() = from.word();
    return *this;
  }
  typedef unsigned WarpgradeWord __attribute__((may_alias));
  __host__ __device__ WarpgradeWord &word() { return *reinterpret_cast<WarpgradeWord *>(this); }
  __host__ __device__ const WarpgradeWord &word() const {
    return *reinterpret_cast<const WarpgradeWord *>(this);
  }
};
typedef __half2 half2;
static inline __host__ __device__ __half2 __halves2half2(__half a, __half b) {
  return {a, b};
}
static inline __host__ __device__ __half2 make_half2(__half a, __half b) {
  return {a, b};
}
static inline __host__ __device__ __half2 __half2half2(__half a) {
  return {a, a};
}
static inline __host__ __device__ __half2 __float2half2_rn(float a) {
  return {__half(a), __half(a)};
}
static inline __host__ __device__ __half2 __floats2half2_rn(float a, float b) {
  return {__half(a), __half(b)};
}
static inline __host__ __device__ __half2 __float22half2_rn(float2 a) {
  return {__half(a.x), __half(a.y)};
}
static inline __host__ __device__ float2 __half22float2(__half2 a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
static inline __host__ __device__ float __low2float(__half2 a) {
  return static_cast<float>(a.x);
}
static inline __host__ __device__ float __high2float(__half2 a) {
  return static_cast<float>(a.y);
}
static inline __host__ __device__ __half __low2half(__half2 a) {
  return a.x;
}
static inline __host__ __device__ __half __high2half(__half2 a) {
  return a.y;
}
static inline __host__ __device__ __half2 __low2half2(__half2 a) {
  return {a.x, a.x};
}
static inline __host__ __device__ __half2 __high2half2(__half2 a) {
  return {a.y, a.y};
}
static inline __host__ __device__ __half2 __lowhigh2highlow(__half2 a) {
  return {a.y, a.x};
}

// Arithmetic in device code: one instruction each, for one half and for two.
#define WARPGRADE_HALF_1(name, instruction)                            \
  WARPGRADE_DEVICE __half name(__half a) {                             \
    unsigned short r;                                                  \
    asm(instruction ".f16 %0, %1;" : "=h"(r) : "h"(a.warpgrade_bits)); \
    return __ushort_as_half(r);                                        \
  }
#define WARPGRADE_HALF2_1(name, instruction)                        \
  WARPGRADE_DEVICE __half2 name(__half2 a) {                        \
    __half2 r;                                                      \
    unsigned word;                                                  \
    asm(instruction ".f16x2 %0, %1;" : "=r"(word) : "r"(a.word())); \
    r.word() = word;                                                \
    return r;                                                       \
  }
#define WARPGRADE_HALF_2(name, instruction)                                                       \
  WARPGRADE_DEVICE __half name(__half a, __half b) {                                              \
    unsigned short r;                                                                             \
    asm(instruction ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.warpgrade_bits), "h"(b.warpgrade_bits)); \
    return __ushort_as_half(r);                                                                   \
  }
#define WARPGRADE_HALF2_2(name, instruction)                                           \
  WARPGRADE_DEVICE __half2 name(__half2 a, __half2 b) {                                \
    __half2 r;                                                                         \
    unsigned word;                                                                     \
    asm(instruction ".f16x2 %0, %1, %2;" : "=r"(word) : "r"(a.word()), "r"(b.word())); \
    r.word() = word;                                                                   \
    return r;                                                                          \
  }
#define WARPGRADE_HALF_3(name, instruction)                                     \
  WARPGRADE_DEVICE __half name(__half a, __half b, __half c) {                  \
    unsigned short r;                                                           \
    asm(instruction ".f16 %0, %1, %2, %3;"                                      \
        : "=h"(r)                                                               \
        : "h"(a.warpgrade_bits), "h"(b.warpgrade_bits), "h"(c.warpgrade_bits)); \
    return __ushort_as_half(r);                                                 \
  }
#define WARPGRADE_HALF2_3(name, instruction)                                                              \
  WARPGRADE_DEVICE __half2 name(__half2 a, __half2 b, __half2 c) {                                        \
    __half2 r;                                                                                            \
    unsigned word;                                                                                        \
    asm(instruction ".f16x2 %0, %1, %2, %3;" : "=r"(word) : "r"(a.word()), "r"(b.word()), "r"(c.word())); \
    r.word() = word;                                                                                      \
    return r;                                                                                             \
  }
// add.rn, not add: what is not to be fused says so
WARPGRADE_HALF_2(__hadd, "add")
WARPGRADE_HALF_2(__hsub, "sub")
WARPGRADE_HALF_2(__hmul, "mul")
WARPGRADE_HALF_2(__hadd_rn, "add.rn")
WARPGRADE_HALF_2(__hsub_rn, "sub.rn")
WARPGRADE_HALF_2(__hmul_rn, "mul.rn")
WARPGRADE_HALF_2(__hadd_sat, "add.sat")
WARPGRADE_HALF_2(__hsub_sat, "sub.sat")
WARPGRADE_HALF_2(__hmul_sat, "mul.sat")
WARPGRADE_HALF_2(__hmin, "min")
WARPGRADE_HALF_2(__hmax, "max")
WARPGRADE_HALF_3(__hfma, "fma.rn")
WARPGRADE_HALF_3(__hfma_sat, "fma.rn.sat")
WARPGRADE_HALF_3(__hfma_relu, "fma.rn.relu")
WARPGRADE_HALF_1(__hneg, "neg")
WARPGRADE_HALF_1(__habs, "abs")
WARPGRADE_HALF2_2(__hadd2, "add")
WARPGRADE_HALF2_2(__hsub2, "sub")
WARPGRADE_HALF2_2(__hmul2, "mul")
WARPGRADE_HALF2_2(__hadd2_rn, "add.rn")
WARPGRADE_HALF2_2(__hsub2_rn, "sub.rn")
WARPGRADE_HALF2_2(__hmul2_rn, "mul.rn")
WARPGRADE_HALF2_2(__hadd2_sat, "add.sat")
WARPGRADE_HALF2_2(__hsub2_sat, "sub.sat")
WARPGRADE_HALF2_2(__hmul2_sat, "mul.sat")
WARPGRADE_HALF2_2(__hmin2, "min")
WARPGRADE_HALF2_2(__hmax2, "max")
WARPGRADE_HALF2_3(__hfma2, "fma.rn")
WARPGRADE_HALF2_3(__hfma2_sat, "fma.rn.sat")
WARPGRADE_HALF2_3(__hfma2_relu, "fma.rn.relu")
WARPGRADE_HALF2_1(__hneg2, "neg")
WARPGRADE_HALF2_1(__habs2, "abs")
#undef WARPGRADE_HALF_1
#undef WARPGRADE_HALF_2
#undef WARPGRADE_HALF_3
#undef WARPGRADE_HALF2_1
#undef WARPGRADE_HALF2_2
#undef WARPGRADE_HALF2_3

WARPGRADE_DEVICE bool __hisnan(__half a) {
  return static_cast<float>(a) != static_cast<float>(a);
}
WARPGRADE_DEVICE int __hisinf(__half a) {
  return (a.warpgrade_bits & 0x7fff) != 0x7c00 ? 0 : a.warpgrade_bits & 0x8000 ? -1 : 1;
}
#define WARPGRADE_HALF_COMPARE(name, op)                   \
  WARPGRADE_DEVICE bool name(__half a, __half b) {         \
    return static_cast<float>(a) op static_cast<float>(b); \
  }                                                        \
  WARPGRADE_DEVICE bool name##u(__half a, __half b) {      \
    return name(a, b) || __hisnan(a) || __hisnan(b);       \
  }
WARPGRADE_HALF_COMPARE(__heq, ==)
WARPGRADE_HALF_COMPARE(__hlt, <)
WARPGRADE_HALF_COMPARE(__hle, <=)
WARPGRADE_HALF_COMPARE(__hgt, >)
WARPGRADE_HALF_COMPARE(__hge, >=)
#undef WARPGRADE_HALF_COMPARE
WARPGRADE_DEVICE bool __hne(__half a, __half b) {
  return static_cast<float>(a) != static_cast<float>(b) && !__hisnan(a) && !__hisnan(b);
}

// Functions: of the float, rounded once more.
#define WARPGRADE_HALF_FUNCTION(name, function)     \
  WARPGRADE_DEVICE __half name(__half a) {          \
    return __half(function(static_cast<float>(a))); \
  }
WARPGRADE_HALF_FUNCTION(hsqrt, sqrtf)
WARPGRADE_HALF_FUNCTION(hrsqrt, rsqrtf)
WARPGRADE_HALF_FUNCTION(hexp, expf)
WARPGRADE_HALF_FUNCTION(hexp2, exp2f)
WARPGRADE_HALF_FUNCTION(hlog, logf)
WARPGRADE_HALF_FUNCTION(hlog2, log2f)
WARPGRADE_HALF_FUNCTION(hsin, sinf)
WARPGRADE_HALF_FUNCTION(hcos, cosf)
WARPGRADE_HALF_FUNCTION(hfloor, floorf)
WARPGRADE_HALF_FUNCTION(hceil, ceilf)
WARPGRADE_HALF_FUNCTION(htrunc, truncf)
WARPGRADE_HALF_FUNCTION(hrint, rintf)
WARPGRADE_HALF_FUNCTION(hrcp, 1.0f /)
#undef WARPGRADE_HALF_FUNCTION
WARPGRADE_DEVICE __half __hdiv(__half a, __half b) {
  return __half(static_cast<float>(a) / static_cast<float>(b));
}

// Operators
WARPGRADE_DEVICE __half operator+(__half a, __half b) {
  return __hadd(a, b);
}
WARPGRADE_DEVICE __half operator-(__half a, __half b) {
  return __hsub(a, b);
}
WARPGRADE_DEVICE __half operator*(__half a, __half b) {
  return __hmul(a, b);
}
WARPGRADE_DEVICE __half operator/(__half a, __half b) {
  return __hdiv(a, b);
}
WARPGRADE_DEVICE __half operator-(__half a) {
  return __hneg(a);
}
WARPGRADE_DEVICE __half &operator+=(__half &a, __half b) {
  return a = a + b;
}
WARPGRADE_DEVICE __half &operator-=(__half &a, __half b) {
  return a = a - b;
}
WARPGRADE_DEVICE __half &operator*=(__half &a, __half b) {
  return a = a * b;
}
WARPGRADE_DEVICE __half &operator/=(__half &a, __half b) {
  return a = a / b;
}
WARPGRADE_DEVICE bool operator==(__half a, __half b) {
  return __heq(a, b);
}
WARPGRADE_DEVICE bool operator!=(__half a, __half b) {
  return !__heq(a, b);
}
WARPGRADE_DEVICE bool operator<(__half a, __half b) {
  return __hlt(a, b);
}
WARPGRADE_DEVICE bool operator<=(__half a, __half b) {
  return __hle(a, b);
}
WARPGRADE_DEVICE bool operator>(__half a, __half b) {
  return __hgt(a, b);
}
WARPGRADE_DEVICE bool operator>=(__half a, __half b) {
  return __hge(a, b);
}
WARPGRADE_DEVICE __half2 operator+(__half2 a, __half2 b) {
  return __hadd2(a, b);
}
WARPGRADE_DEVICE __half2 operator-(__half2 a, __half2 b) {
  return __hsub2(a, b);
}
WARPGRADE_DEVICE __half2 operator*(__half2 a, __half2 b) {
  return __hmul2(a, b);
}
WARPGRADE_DEVICE __half2 operator-(__half2 a) {
  return __hneg2(a);
}
WARPGRADE_DEVICE __half2 &operator+=(__half2 &a, __half2 b) {
  return a = a + b;
}
WARPGRADE_DEVICE __half2 &operator-=(__half2 &a, __half2 b) {
  return a = a - b;
}
WARPGRADE_DEVICE __half2 &operator*=(__half2 &a, __half2 b) {
  return a = a * b;
}

// Shuffles
#define WARPGRADE_HALF_SHUFFLE(name)                                                             \
  WARPGRADE_DEVICE __half name(unsigned mask, __half value, int lane, int width = 32) {          \
    const unsigned moved = name(mask, static_cast<unsigned>(value.warpgrade_bits), lane, width); \
    return __ushort_as_half(static_cast<unsigned short>(moved));                                 \
  }                                                                                              \
  WARPGRADE_DEVICE __half2 name(unsigned mask, __half2 value, int lane, int width = 32) {        \
    __half2 moved;                                                                               \
    moved.word() = name(mask, static_cast<unsigned>(value.word()), lane, width);                 \
    return moved;                                                                                \
  }
WARPGRADE_HALF_SHUFFLE(__shfl_sync)
WARPGRADE_HALF_SHUFFLE(__shfl_up_sync)
WARPGRADE_HALF_SHUFFLE(__shfl_down_sync)
WARPGRADE_HALF_SHUFFLE(__shfl_xor_sync)
#undef WARPGRADE_HALF_SHUFFLE
