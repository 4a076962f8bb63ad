// threadIdx, blockIdx, blockDim, gridDim and warpSize: what a thread knows of itself.
#pragma once

#include "vector_types.h"

#if defined(__CUDA__)
// Not variables: each reads a register of the hardware. They can be read in device code, and nothing else.
#define WARPGRADE_REGISTER(member, builtin)                                                \
  __declspec(property(get = warpgrade_##member)) unsigned int member;                      \
  static inline __attribute__((always_inline, device)) unsigned int warpgrade_##member() { \
    return static_cast<unsigned int>(builtin());                                           \
  }
#define WARPGRADE_REGISTERS(type, stem)                                       \
  struct type {                                                               \
    WARPGRADE_REGISTER(x, __nvvm_read_ptx_sreg_##stem##_x)                    \
    WARPGRADE_REGISTER(y, __nvvm_read_ptx_sreg_##stem##_y)                    \
    WARPGRADE_REGISTER(z, __nvvm_read_ptx_sreg_##stem##_z)                    \
    __attribute__((device)) operator uint3() const { return uint3{x, y, z}; } \
    __attribute__((device)) operator dim3() const { return dim3(x, y, z); }   \
    type(const type &) = delete;                                              \
    void operator=(const type &) const = delete;                              \
    type *operator&() const = delete;                                         \
                                                                              \
   private:                                                                   \
    type() = default;                                                         \
  };

WARPGRADE_REGISTERS(WarpgradeThreadIdx, tid)
WARPGRADE_REGISTERS(WarpgradeBlockIdx, ctaid)
WARPGRADE_REGISTERS(WarpgradeBlockDim, ntid)
WARPGRADE_REGISTERS(WarpgradeGridDim, nctaid)

extern const __attribute__((device, weak)) WarpgradeThreadIdx threadIdx;
extern const __attribute__((device, weak)) WarpgradeBlockIdx blockIdx;
extern const __attribute__((device, weak)) WarpgradeBlockDim blockDim;
extern const __attribute__((device, weak)) WarpgradeGridDim gridDim;
__attribute__((device)) constexpr int warpSize = 32;

#undef WARPGRADE_REGISTER
#undef WARPGRADE_REGISTERS
#endif
