// make_float4 and its relatives.
#pragma once

#include "vector_types.h"

#define WARPGRADE_MAKE(name, T)                                                           \
  template <int = 0>                                                                      \
  static __forceinline__ __host__ __device__ name##1 make_##name##1(T x) {                \
    return name##1 {x};                                                                   \
  }                                                                                       \
  template <int = 0>                                                                      \
  static __forceinline__ __host__ __device__ name##2 make_##name##2(T x, T y) {           \
    return name##2 {x, y};                                                                \
  }                                                                                       \
  template <int = 0>                                                                      \
  static __forceinline__ __host__ __device__ name##3 make_##name##3(T x, T y, T z) {      \
    return name##3 {x, y, z};                                                             \
  }                                                                                       \
  template <int = 0>                                                                      \
  static __forceinline__ __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w) { \
    return name##4 {x, y, z, w};                                                          \
  }

WARPGRADE_MAKE(char, signed char)
WARPGRADE_MAKE(uchar, unsigned char)
WARPGRADE_MAKE(short, short)
WARPGRADE_MAKE(ushort, unsigned short)
WARPGRADE_MAKE(int, int)
WARPGRADE_MAKE(uint, unsigned int)
WARPGRADE_MAKE(long, long)
WARPGRADE_MAKE(ulong, unsigned long)
WARPGRADE_MAKE(longlong, long long)
WARPGRADE_MAKE(ulonglong, unsigned long long)
WARPGRADE_MAKE(float, float)
WARPGRADE_MAKE(double, double)
#undef WARPGRADE_MAKE
