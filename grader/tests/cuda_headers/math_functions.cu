// Kernels that apply one function of the clang front end's headers to an array; math_test.cpp compares with
// the host.
#include <cuda_runtime.h>

#define HERE blockIdx.x *blockDim.x + threadIdx.x
#define OF_ONE(name)                                                                       \
  extern "C" __global__ void name##_double(const double *a, const double *, double *out) { \
    const unsigned i = HERE;                                                               \
    out[i] = name(a[i]);                                                                   \
  }                                                                                        \
  extern "C" __global__ void name##_float(const float *a, const float *, float *out) {     \
    const unsigned i = HERE;                                                               \
    out[i] = name##f(a[i]);                                                                \
  }
#define OF_TWO(name)                                                                        \
  extern "C" __global__ void name##_double(const double *a, const double *b, double *out) { \
    const unsigned i = HERE;                                                                \
    out[i] = name(a[i], b[i]);                                                              \
  }                                                                                         \
  extern "C" __global__ void name##_float(const float *a, const float *b, float *out) {     \
    const unsigned i = HERE;                                                                \
    out[i] = name##f(a[i], b[i]);                                                           \
  }
OF_ONE(sin)
OF_ONE(cos)
OF_ONE(tan)
OF_ONE(asin)
OF_ONE(acos)
OF_ONE(atan)
OF_ONE(sinh)
OF_ONE(cosh)
OF_ONE(tanh)
OF_ONE(asinh)
OF_ONE(acosh)
OF_ONE(atanh)
OF_ONE(exp)
OF_ONE(exp2)
OF_ONE(exp10)
OF_ONE(expm1)
OF_ONE(log)
OF_ONE(log2)
OF_ONE(log10)
OF_ONE(log1p)
OF_ONE(logb)
OF_ONE(cbrt)
OF_ONE(erf)
OF_ONE(erfc)
OF_ONE(sqrt)
OF_ONE(rsqrt)
OF_ONE(fabs)
OF_ONE(floor)
OF_ONE(ceil)
OF_ONE(trunc)
OF_ONE(rint)
OF_ONE(nearbyint)
OF_ONE(round)
OF_ONE(sinpi)
OF_ONE(cospi)
OF_TWO(pow)
OF_TWO(atan2)
OF_TWO(fmod)
OF_TWO(remainder)
OF_TWO(hypot)
OF_TWO(fdim)
OF_TWO(fmin)
OF_TWO(fmax)
OF_TWO(copysign)
OF_TWO(nextafter)

// What the hardware approximates
#define FAST(f)                                                                     \
  extern "C" __global__ void f##_float(const float *a, const float *, float *out) { \
    const unsigned i = HERE;                                                        \
    out[i] = __##f(a[i]);                                                           \
  }
FAST(sinf)
FAST(cosf)
FAST(expf)
FAST(exp10f)
FAST(logf)
FAST(log2f)
FAST(log10f)
FAST(saturatef)
FAST(frsqrt_rn)
#define FAST_TWO(f)                                                                  \
  extern "C" __global__ void f##_float(const float *a, const float *b, float *out) { \
    const unsigned i = HERE;                                                         \
    out[i] = __##f(a[i], b[i]);                                                      \
  }
FAST_TWO(powf)
FAST_TWO(fdividef)
