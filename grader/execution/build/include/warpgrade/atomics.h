// Atomic functions, for a device, a block (_block) and the whole system (_system).
#pragma once

#include "warpgrade/double_double.h"

// T *at, T value: the old value, in one instruction
#define WARPGRADE_ATOMIC(name, T, instruction, out, in)                                    \
  WARPGRADE_WHEN_USED T name(T *at, T value) {                                             \
    T old;                                                                                 \
    asm volatile(instruction " %0, [%1], %2;" : out(old) : "l"(at), in(value) : "memory"); \
    return old;                                                                            \
  }
#define WARPGRADE_ATOMICS(name, T, operation, letter)                          \
  WARPGRADE_ATOMIC(name, T, "atom." operation, "=" letter, letter)             \
  WARPGRADE_ATOMIC(name##_block, T, "atom.cta." operation, "=" letter, letter) \
  WARPGRADE_ATOMIC(name##_system, T, "atom.sys." operation, "=" letter, letter)

WARPGRADE_ATOMICS(atomicAdd, int, "add.s32", "r")
WARPGRADE_ATOMICS(atomicAdd, unsigned, "add.u32", "r")
WARPGRADE_ATOMICS(atomicAdd, unsigned long long, "add.u64", "l")
WARPGRADE_ATOMICS(atomicAdd, float, "add.f32", "f")
WARPGRADE_ATOMICS(atomicAdd, double, "add.f64", "d")
WARPGRADE_ATOMICS(atomicMin, int, "min.s32", "r")
WARPGRADE_ATOMICS(atomicMin, unsigned, "min.u32", "r")
WARPGRADE_ATOMICS(atomicMin, unsigned long long, "min.u64", "l")
WARPGRADE_ATOMICS(atomicMin, long long, "min.s64", "l")
WARPGRADE_ATOMICS(atomicMax, int, "max.s32", "r")
WARPGRADE_ATOMICS(atomicMax, unsigned, "max.u32", "r")
WARPGRADE_ATOMICS(atomicMax, unsigned long long, "max.u64", "l")
WARPGRADE_ATOMICS(atomicMax, long long, "max.s64", "l")
WARPGRADE_ATOMICS(atomicAnd, int, "and.b32", "r")
WARPGRADE_ATOMICS(atomicAnd, unsigned, "and.b32", "r")
WARPGRADE_ATOMICS(atomicAnd, unsigned long long, "and.b64", "l")
WARPGRADE_ATOMICS(atomicOr, int, "or.b32", "r")
WARPGRADE_ATOMICS(atomicOr, unsigned, "or.b32", "r")
WARPGRADE_ATOMICS(atomicOr, unsigned long long, "or.b64", "l")
WARPGRADE_ATOMICS(atomicXor, int, "xor.b32", "r")
WARPGRADE_ATOMICS(atomicXor, unsigned, "xor.b32", "r")
WARPGRADE_ATOMICS(atomicXor, unsigned long long, "xor.b64", "l")
WARPGRADE_ATOMICS(atomicExch, int, "exch.b32", "r")
WARPGRADE_ATOMICS(atomicExch, unsigned, "exch.b32", "r")
WARPGRADE_ATOMICS(atomicExch, float, "exch.b32", "f")
WARPGRADE_ATOMICS(atomicExch, unsigned long long, "exch.b64", "l")
WARPGRADE_ATOMICS(atomicInc, unsigned, "inc.u32", "r")
WARPGRADE_ATOMICS(atomicDec, unsigned, "dec.u32", "r")
#undef WARPGRADE_ATOMICS
#undef WARPGRADE_ATOMIC

#define WARPGRADE_SUBTRACT(name, T)                                                                \
  WARPGRADE_WHEN_USED T atomicSub##name(T *at, T value) {                                          \
    return static_cast<T>(atomicAdd##name(at, static_cast<T>(0u - static_cast<unsigned>(value)))); \
  }
WARPGRADE_SUBTRACT(, int)
WARPGRADE_SUBTRACT(, unsigned)
WARPGRADE_SUBTRACT(_block, int)
WARPGRADE_SUBTRACT(_block, unsigned)
WARPGRADE_SUBTRACT(_system, int)
WARPGRADE_SUBTRACT(_system, unsigned)
#undef WARPGRADE_SUBTRACT

#define WARPGRADE_CAS(name, T, instruction, out, in)                                                         \
  WARPGRADE_WHEN_USED T name(T *at, T expected, T value) {                                                   \
    T old;                                                                                                   \
    asm volatile(instruction " %0, [%1], %2, %3;" : out(old) : "l"(at), in(expected), in(value) : "memory"); \
    return old;                                                                                              \
  }
#define WARPGRADE_CASES(T, bits, letter)                                      \
  WARPGRADE_CAS(atomicCAS, T, "atom.cas." bits, "=" letter, letter)           \
  WARPGRADE_CAS(atomicCAS_block, T, "atom.cta.cas." bits, "=" letter, letter) \
  WARPGRADE_CAS(atomicCAS_system, T, "atom.sys.cas." bits, "=" letter, letter)
WARPGRADE_CASES(int, "b32", "r")
WARPGRADE_CASES(unsigned, "b32", "r")
WARPGRADE_CASES(unsigned long long, "b64", "l")
WARPGRADE_CASES(unsigned short, "b16", "h")
#undef WARPGRADE_CASES
#undef WARPGRADE_CAS
