// Loads and stores with a cache operator: __ldg and its relatives.
#pragma once

#include "vector_types.h"
#include "warpgrade/double_double.h"

// One instruction, which may not be left out (volatile) or may (a load of what does not change).
#define WARPGRADE_LOAD_1(name, T, R, how, instruction, out) \
  WARPGRADE_WHEN_USED T name(const T *from) {               \
    R x;                                                    \
    asm how(instruction " %0, [%1];" : out(x) : "l"(from)); \
    return static_cast<T>(x);                               \
  }
#define WARPGRADE_LOAD_2(name, T, R, how, instruction, out)               \
  WARPGRADE_WHEN_USED T name(const T *from) {                             \
    R x, y;                                                               \
    asm how(instruction " {%0, %1}, [%2];" : out(x), out(y) : "l"(from)); \
    T v;                                                                  \
    v.x = x, v.y = y;                                                     \
    return v;                                                             \
  }
#define WARPGRADE_LOAD_4(name, T, R, how, instruction, out)                                       \
  WARPGRADE_WHEN_USED T name(const T *from) {                                                     \
    R x, y, z, w;                                                                                 \
    asm how(instruction " {%0, %1, %2, %3}, [%4];" : out(x), out(y), out(z), out(w) : "l"(from)); \
    T v;                                                                                          \
    v.x = x, v.y = y, v.z = z, v.w = w;                                                           \
    return v;                                                                                     \
  }
#define WARPGRADE_STORE_1(name, T, R, instruction, in)                                  \
  WARPGRADE_WHEN_USED void name(T *to, T v) {                                           \
    asm volatile(instruction " [%0], %1;" ::"l"(to), in(static_cast<R>(v)) : "memory"); \
  }
#define WARPGRADE_STORE_2(name, T, R, instruction, in)                                                      \
  WARPGRADE_WHEN_USED void name(T *to, T v) {                                                               \
    asm volatile(instruction " [%0], {%1, %2};" ::"l"(to), in(static_cast<R>(v.x)), in(static_cast<R>(v.y)) \
                 : "memory");                                                                               \
  }
#define WARPGRADE_STORE_4(name, T, R, instruction, in)                                      \
  WARPGRADE_WHEN_USED void name(T *to, T v) {                                               \
    asm volatile(instruction " [%0], {%1, %2, %3, %4};" ::"l"(to), in(static_cast<R>(v.x)), \
                 in(static_cast<R>(v.y)), in(static_cast<R>(v.z)), in(static_cast<R>(v.w))  \
                 : "memory");                                                               \
  }
// How many at a time, the type, that of a component's register, the type in PTX, and the register's letter.
#define WARPGRADE_ACCESSES(n, T, R, type, letter)                                                 \
  WARPGRADE_LOAD_##n(__ldg, T, R, , "ld.global.nc" type, "=" letter)                              \
      WARPGRADE_LOAD_##n(__ldca, T, R, volatile, "ld.global.ca" type, "=" letter)                 \
          WARPGRADE_LOAD_##n(__ldcg, T, R, volatile, "ld.global.cg" type, "=" letter)             \
              WARPGRADE_LOAD_##n(__ldcs, T, R, volatile, "ld.global.cs" type, "=" letter)         \
                  WARPGRADE_LOAD_##n(__ldlu, T, R, volatile, "ld.global.lu" type, "=" letter)     \
                      WARPGRADE_LOAD_##n(__ldcv, T, R, volatile, "ld.global.cv" type, "=" letter) \
                          WARPGRADE_STORE_##n(__stwb, T, R, "st.global.wb" type, letter)          \
                              WARPGRADE_STORE_##n(__stcg, T, R, "st.global.cg" type, letter)      \
                                  WARPGRADE_STORE_##n(__stcs, T, R, "st.global.cs" type, letter)  \
                                      WARPGRADE_STORE_##n(__stwt, T, R, "st.global.wt" type, letter)

WARPGRADE_ACCESSES(1, char, int, ".s8", "r")
WARPGRADE_ACCESSES(1, signed char, int, ".s8", "r")
WARPGRADE_ACCESSES(1, unsigned char, unsigned, ".u8", "r")
WARPGRADE_ACCESSES(1, short, short, ".s16", "h")
WARPGRADE_ACCESSES(1, unsigned short, unsigned short, ".u16", "h")
WARPGRADE_ACCESSES(1, int, int, ".s32", "r")
WARPGRADE_ACCESSES(1, unsigned, unsigned, ".u32", "r")
WARPGRADE_ACCESSES(1, long, long, ".s64", "l")
WARPGRADE_ACCESSES(1, unsigned long, unsigned long, ".u64", "l")
WARPGRADE_ACCESSES(1, long long, long long, ".s64", "l")
WARPGRADE_ACCESSES(1, unsigned long long, unsigned long long, ".u64", "l")
WARPGRADE_ACCESSES(1, float, float, ".f32", "f")
WARPGRADE_ACCESSES(1, double, double, ".f64", "d")
WARPGRADE_ACCESSES(2, int2, int, ".v2.s32", "r")
WARPGRADE_ACCESSES(4, int4, int, ".v4.s32", "r")
WARPGRADE_ACCESSES(2, uint2, unsigned, ".v2.u32", "r")
WARPGRADE_ACCESSES(4, uint4, unsigned, ".v4.u32", "r")
WARPGRADE_ACCESSES(2, float2, float, ".v2.f32", "f")
WARPGRADE_ACCESSES(4, float4, float, ".v4.f32", "f")
WARPGRADE_ACCESSES(2, double2, double, ".v2.f64", "d")
WARPGRADE_ACCESSES(2, longlong2, long long, ".v2.s64", "l")
WARPGRADE_ACCESSES(2, ulonglong2, unsigned long long, ".v2.u64", "l")
WARPGRADE_ACCESSES(2, short2, short, ".v2.s16", "h")
WARPGRADE_ACCESSES(4, short4, short, ".v4.s16", "h")
WARPGRADE_ACCESSES(2, ushort2, unsigned short, ".v2.u16", "h")
WARPGRADE_ACCESSES(4, ushort4, unsigned short, ".v4.u16", "h")
WARPGRADE_ACCESSES(2, char2, int, ".v2.s8", "r")
WARPGRADE_ACCESSES(4, char4, int, ".v4.s8", "r")
WARPGRADE_ACCESSES(2, uchar2, unsigned, ".v2.u8", "r")
WARPGRADE_ACCESSES(4, uchar4, unsigned, ".v4.u8", "r")
#undef WARPGRADE_ACCESSES
#undef WARPGRADE_LOAD_1
#undef WARPGRADE_LOAD_2
#undef WARPGRADE_LOAD_4
#undef WARPGRADE_STORE_1
#undef WARPGRADE_STORE_2
#undef WARPGRADE_STORE_4

// Which memory a pointer means, and its address there.
#define WARPGRADE_SPACE(name, space)                                                                    \
  WARPGRADE_WHEN_USED unsigned __is##name(const void *pointer) {                                        \
    unsigned is;                                                                                        \
    asm("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(pointer)); \
    return is;                                                                                          \
  }                                                                                                     \
  WARPGRADE_WHEN_USED size_t __cvta_generic_to_##name(const void *pointer) {                            \
    size_t address;                                                                                     \
    asm("cvta.to." space ".u64 %0, %1;" : "=l"(address) : "l"(pointer));                                \
    return address;                                                                                     \
  }                                                                                                     \
  WARPGRADE_WHEN_USED void *__cvta_##name##_to_generic(size_t address) {                                \
    void *pointer;                                                                                      \
    asm("cvta." space ".u64 %0, %1;" : "=l"(pointer) : "l"(address));                                   \
    return pointer;                                                                                     \
  }
WARPGRADE_SPACE(global, "global")
WARPGRADE_SPACE(shared, "shared")
WARPGRADE_SPACE(local, "local")
WARPGRADE_SPACE(constant, "const")
#undef WARPGRADE_SPACE
WARPGRADE_WHEN_USED unsigned __isGlobal(const void *pointer) {
  return __isglobal(pointer);
}
WARPGRADE_WHEN_USED unsigned __isShared(const void *pointer) {
  return __isshared(pointer);
}
WARPGRADE_WHEN_USED unsigned __isLocal(const void *pointer) {
  return __islocal(pointer);
}
WARPGRADE_WHEN_USED unsigned __isConstant(const void *pointer) {
  return __isconstant(pointer);
}
