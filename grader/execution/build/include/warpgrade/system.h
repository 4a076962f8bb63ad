// What the device's own run-time system offers to threads: printing, assertions, memory.
#pragma once

#include "warpgrade/qualifiers.h"

extern "C" {
__device__ void *malloc(size_t bytes) noexcept;
__device__ void free(void *memory) noexcept;
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t bytes_per_character) __attribute__((noreturn));
__device__ inline __attribute__((noreturn)) void __assert_fail(const char *message, const char *file,
                                                               unsigned line, const char *function) noexcept {
  __assertfail(message, file, line, function, 1);
}
__device__ inline void *memcpy(void *to, const void *from, size_t bytes) noexcept {
  return __builtin_memcpy(to, from, bytes);
}
__device__ inline void *memset(void *to, int value, size_t bytes) noexcept {
  return __builtin_memset(to, value, bytes);
}
}

#ifndef __CLANG_CUDA_WRAPPERS_NEW  // an editor's clang has read its own <new>
__device__ inline void *operator new(size_t bytes) {
  return ::malloc(bytes);
}
__device__ inline void *operator new[](size_t bytes) {
  return ::malloc(bytes);
}
__device__ inline void operator delete(void *memory) noexcept {
  ::free(memory);
}
__device__ inline void operator delete[](void *memory) noexcept {
  ::free(memory);
}
__device__ inline void operator delete(void *memory, size_t) noexcept {
  ::free(memory);
}
__device__ inline void operator delete[](void *memory, size_t) noexcept {
  ::free(memory);
}
#endif
