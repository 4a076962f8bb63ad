// The vector types of CUDA C++, with the sizes and alignments that the programming guide gives, and dim3.
#pragma once

#include "warpgrade/vector_copies.h"

#define WARPGRADE_ONE(name, T) \
  struct name {                \
    T x;                       \
  };
#define WARPGRADE_TWO(name, T, bytes)                                \
  struct WARPGRADE_TRIVIAL_ABI alignas(bytes) name {                 \
    T x, y;                                                          \
    name() = default;                                                \
    constexpr __host__ __device__ name(T a, T b = 0) : x(a), y(b) {} \
    WARPGRADE_COPIES(name, T, 2)                                     \
  };
#define WARPGRADE_THREE(name, T) \
  struct name {                  \
    T x, y, z;                   \
  };
#define WARPGRADE_FOUR(name, T, bytes)                                                             \
  struct WARPGRADE_TRIVIAL_ABI alignas(bytes) name {                                               \
    T x, y, z, w;                                                                                  \
    name() = default;                                                                              \
    constexpr __host__ __device__ name(T a, T b = 0, T c = 0, T d = 0) : x(a), y(b), z(c), w(d) {} \
    WARPGRADE_COPIES(name, T, 4)                                                                   \
  };
// 32 bytes: more than a thread moves at once.
#define WARPGRADE_LARGE(name, T) \
  struct alignas(16) name {      \
    T x, y, z, w;                \
  };

WARPGRADE_ONE(char1, signed char)
WARPGRADE_ONE(uchar1, unsigned char)
WARPGRADE_ONE(short1, short)
WARPGRADE_ONE(ushort1, unsigned short)
WARPGRADE_ONE(int1, int)
WARPGRADE_ONE(uint1, unsigned int)
WARPGRADE_ONE(long1, long)
WARPGRADE_ONE(ulong1, unsigned long)
WARPGRADE_ONE(longlong1, long long)
WARPGRADE_ONE(ulonglong1, unsigned long long)
WARPGRADE_ONE(float1, float)
WARPGRADE_ONE(double1, double)

WARPGRADE_TWO(char2, signed char, 2)
WARPGRADE_TWO(uchar2, unsigned char, 2)
WARPGRADE_TWO(short2, short, 4)
WARPGRADE_TWO(ushort2, unsigned short, 4)
WARPGRADE_TWO(int2, int, 8)
WARPGRADE_TWO(uint2, unsigned int, 8)
WARPGRADE_TWO(long2, long, 16)
WARPGRADE_TWO(ulong2, unsigned long, 16)
WARPGRADE_TWO(longlong2, long long, 16)
WARPGRADE_TWO(ulonglong2, unsigned long long, 16)
WARPGRADE_TWO(float2, float, 8)
WARPGRADE_TWO(double2, double, 16)

WARPGRADE_THREE(char3, signed char)
WARPGRADE_THREE(uchar3, unsigned char)
WARPGRADE_THREE(short3, short)
WARPGRADE_THREE(ushort3, unsigned short)
WARPGRADE_THREE(int3, int)
WARPGRADE_THREE(uint3, unsigned int)
WARPGRADE_THREE(long3, long)
WARPGRADE_THREE(ulong3, unsigned long)
WARPGRADE_THREE(longlong3, long long)
WARPGRADE_THREE(ulonglong3, unsigned long long)
WARPGRADE_THREE(float3, float)
WARPGRADE_THREE(double3, double)

WARPGRADE_FOUR(char4, signed char, 4)
WARPGRADE_FOUR(uchar4, unsigned char, 4)
WARPGRADE_FOUR(short4, short, 8)
WARPGRADE_FOUR(ushort4, unsigned short, 8)
WARPGRADE_FOUR(int4, int, 16)
WARPGRADE_FOUR(uint4, unsigned int, 16)
WARPGRADE_FOUR(float4, float, 16)
WARPGRADE_LARGE(long4, long)
WARPGRADE_LARGE(ulong4, unsigned long)
WARPGRADE_LARGE(longlong4, long long)
WARPGRADE_LARGE(ulonglong4, unsigned long long)
WARPGRADE_LARGE(double4, double)

#undef WARPGRADE_ONE
#undef WARPGRADE_TWO
#undef WARPGRADE_THREE
#undef WARPGRADE_FOUR
#undef WARPGRADE_LARGE

/// The sizes of a grid or a block; a side that is not named is 1.
struct dim3 {
  unsigned int x, y, z;
  constexpr __host__ __device__ dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1)
      : x(a), y(b), z(c) {}
  constexpr __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr __host__ __device__ operator uint3() const { return uint3{x, y, z}; }
};
