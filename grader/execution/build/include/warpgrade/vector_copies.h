// How types that the hardware reads and writes at once are copied: as one vector, so that `float4 v = p[i]`
// is one request of 16 bytes, as the source says, while scalars beside each other stay scalars. nodebug: the
// access belongs to the line of the copy.
#pragma once

#include "warpgrade/qualifiers.h"

#if defined(__CUDA__)
#define WARPGRADE_TRIVIAL_ABI [[clang::trivial_abi]]
#define WARPGRADE_COPIES(name, T, n)                                                            \
  typedef T WarpgradeWhole __attribute__((ext_vector_type(n), may_alias));                      \
  __host__ __device__ __attribute__((nodebug)) name(const name &from) {                         \
    *reinterpret_cast<WarpgradeWhole *>(this) = reinterpret_cast<const WarpgradeWhole &>(from); \
  }                                                                                             \
  __host__ __device__ __attribute__((nodebug)) name &operator=(const name &from) {              \
    *reinterpret_cast<WarpgradeWhole *>(this) = reinterpret_cast<const WarpgradeWhole &>(from); \
    return *this;                                                                               \
  }
#else
#define WARPGRADE_TRIVIAL_ABI
#define WARPGRADE_COPIES(name, T, n)
#endif
