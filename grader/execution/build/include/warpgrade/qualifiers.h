// The words that CUDA C++ adds to C++: where a function runs, where a variable lives.
#pragma once

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__                                                                                     \
  _Static_assert(false, "__managed__ variables are not there with the clang front end; nvcc has them"); \
  __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __cluster_dims__(...)                                                                         \
  _Static_assert(false,                                                                               \
                 "__cluster_dims__ is not there with the clang front end: no thread block clusters; " \
                 "nvcc has them");
#else  // a C++ compiler, for what serves these calls
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#endif
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif

#define __forceinline__ inline __attribute__((always_inline))
// Newer compilers have it as a keyword. See also bits/shared_ptr_base.h.
#if defined(__CUDA__) && __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#if defined(__CUDA__)
#include "warpgrade/alignment.h"
#endif
#define CUDART_CB
#define CUDARTAPI
