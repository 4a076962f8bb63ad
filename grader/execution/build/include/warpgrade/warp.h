// What threads of a block and of a warp do together: barriers, fences, votes, shuffles, reductions.
#pragma once

#include "warpgrade/double_double.h"

// In assembly that may touch any memory. Of its own barriers the compiler believes that they leave a shared
// variable alone whose address is nowhere taken, and moves loads of it across them (clang 14). Each has a
// number, so that two of them in two branches are not made one: threads that wait at different barriers are a
// mistake that must stay visible.
template <int number>
WARPGRADE_DEVICE void warpgrade_barrier() {
  asm volatile("bar.sync 0; // %0" ::"n"(number) : "memory");
}
#define __syncthreads() warpgrade_barrier<__COUNTER__>()
#define WARPGRADE_BARRIER(name, operation)                                     \
  WARPGRADE_WHEN_USED int name(int predicate) {                                \
    int result;                                                                \
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." operation \
                 ".pred q, 0, p; "                                             \
                 "selp.s32 %0, 1, 0, q; }"                                     \
                 : "=r"(result)                                                \
                 : "r"(predicate)                                              \
                 : "memory");                                                  \
    return result;                                                             \
  }
WARPGRADE_BARRIER(__syncthreads_and, "and")
WARPGRADE_BARRIER(__syncthreads_or, "or")
#undef WARPGRADE_BARRIER
WARPGRADE_WHEN_USED int __syncthreads_count(int predicate) {
  int result;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
               : "=r"(result)
               : "r"(predicate)
               : "memory");
  return result;
}
WARPGRADE_WHEN_USED void __syncwarp(unsigned mask = 0xffffffff) {
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
WARPGRADE_WHEN_USED void __threadfence() {
  asm volatile("membar.gl;" ::: "memory");
}
WARPGRADE_WHEN_USED void __threadfence_block() {
  asm volatile("membar.cta;" ::: "memory");
}
WARPGRADE_WHEN_USED void __threadfence_system() {
  asm volatile("membar.sys;" ::: "memory");
}

WARPGRADE_WHEN_USED int __all_sync(unsigned mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate != 0);
}
WARPGRADE_WHEN_USED int __any_sync(unsigned mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate != 0);
}
WARPGRADE_WHEN_USED int __uni_sync(unsigned mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate != 0);
}
WARPGRADE_WHEN_USED unsigned __ballot_sync(unsigned mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
WARPGRADE_WHEN_USED unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

// A shuffle moves 32 bits; wider types take two.
#define WARPGRADE_SHUFFLE(name, builtin, rest)                                                           \
  WARPGRADE_WHEN_USED int name(unsigned mask, int value, int lane, int width = 32) {                     \
    return __nvvm_shfl_sync_##builtin##_i32(mask, value, lane, ((32 - width) << 8) | rest);              \
  }                                                                                                      \
  WARPGRADE_WHEN_USED unsigned name(unsigned mask, unsigned value, int lane, int width = 32) {           \
    return static_cast<unsigned>(name(mask, static_cast<int>(value), lane, width));                      \
  }                                                                                                      \
  WARPGRADE_WHEN_USED float name(unsigned mask, float value, int lane, int width = 32) {                 \
    return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(int, value), lane, width));           \
  }                                                                                                      \
  WARPGRADE_WHEN_USED unsigned long long name(unsigned mask, unsigned long long value, int lane,         \
                                              int width = 32) {                                          \
    const unsigned low = name(mask, static_cast<unsigned>(value), lane, width);                          \
    const unsigned high = name(mask, static_cast<unsigned>(value >> 32), lane, width);                   \
    return static_cast<unsigned long long>(high) << 32 | low;                                            \
  }                                                                                                      \
  WARPGRADE_WHEN_USED long long name(unsigned mask, long long value, int lane, int width = 32) {         \
    return static_cast<long long>(name(mask, static_cast<unsigned long long>(value), lane, width));      \
  }                                                                                                      \
  WARPGRADE_WHEN_USED unsigned long name(unsigned mask, unsigned long value, int lane, int width = 32) { \
    return name(mask, static_cast<unsigned long long>(value), lane, width);                              \
  }                                                                                                      \
  WARPGRADE_WHEN_USED long name(unsigned mask, long value, int lane, int width = 32) {                   \
    return static_cast<long>(name(mask, static_cast<unsigned long long>(value), lane, width));           \
  }                                                                                                      \
  WARPGRADE_WHEN_USED double name(unsigned mask, double value, int lane, int width = 32) {               \
    return __builtin_bit_cast(double,                                                                    \
                              name(mask, __builtin_bit_cast(unsigned long long, value), lane, width));   \
  }
WARPGRADE_SHUFFLE(__shfl_sync, idx, 31)
WARPGRADE_SHUFFLE(__shfl_up_sync, up, 0)
WARPGRADE_SHUFFLE(__shfl_down_sync, down, 31)
WARPGRADE_SHUFFLE(__shfl_xor_sync, bfly, 31)
#undef WARPGRADE_SHUFFLE

#define WARPGRADE_MATCH(T, bits, letter)                                                           \
  WARPGRADE_WHEN_USED unsigned __match_any_sync(unsigned mask, T value) {                          \
    unsigned same;                                                                                 \
    asm volatile("match.any.sync.b" #bits " %0, %1, %2;" : "=r"(same) : letter(value), "r"(mask)); \
    return same;                                                                                   \
  }                                                                                                \
  WARPGRADE_WHEN_USED unsigned __match_all_sync(unsigned mask, T value, int *predicate) {          \
    unsigned same;                                                                                 \
    asm volatile("{ .reg .pred p; match.all.sync.b" #bits " %0|p, %2, %3; selp.b32 %1, 1, 0, p; }" \
                 : "=r"(same), "=r"(*predicate)                                                    \
                 : letter(value), "r"(mask));                                                      \
    return same;                                                                                   \
  }
WARPGRADE_MATCH(int, 32, "r")
WARPGRADE_MATCH(unsigned, 32, "r")
WARPGRADE_MATCH(float, 32, "f")
WARPGRADE_MATCH(long, 64, "l")
WARPGRADE_MATCH(unsigned long, 64, "l")
WARPGRADE_MATCH(long long, 64, "l")
WARPGRADE_MATCH(unsigned long long, 64, "l")
WARPGRADE_MATCH(double, 64, "d")
#undef WARPGRADE_MATCH

#define WARPGRADE_REDUCE(name, operation, T)                                                     \
  WARPGRADE_WHEN_USED T name(unsigned mask, T value) {                                           \
    T result;                                                                                    \
    asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                               \
  }
WARPGRADE_REDUCE(__reduce_add_sync, "add.s32", int)
WARPGRADE_REDUCE(__reduce_add_sync, "add.u32", unsigned)
WARPGRADE_REDUCE(__reduce_min_sync, "min.s32", int)
WARPGRADE_REDUCE(__reduce_min_sync, "min.u32", unsigned)
WARPGRADE_REDUCE(__reduce_max_sync, "max.s32", int)
WARPGRADE_REDUCE(__reduce_max_sync, "max.u32", unsigned)
WARPGRADE_REDUCE(__reduce_and_sync, "and.b32", unsigned)
WARPGRADE_REDUCE(__reduce_or_sync, "or.b32", unsigned)
WARPGRADE_REDUCE(__reduce_xor_sync, "xor.b32", unsigned)
#undef WARPGRADE_REDUCE

WARPGRADE_WHEN_USED void __trap() {
  asm volatile("trap;");
}
WARPGRADE_WHEN_USED void __brkpt() {
  asm volatile("brkpt;");
}
WARPGRADE_WHEN_USED void __nanosleep(unsigned nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
WARPGRADE_WHEN_USED long long clock64() {
  return __nvvm_read_ptx_sreg_clock64();
}
WARPGRADE_WHEN_USED clock_t clock() {
  return __nvvm_read_ptx_sreg_clock();
}
