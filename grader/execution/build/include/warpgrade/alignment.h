// nvcc takes `__shared__ alignas(16) float tile[...]`; clang takes alignas only in front of the attribute
// that
// __shared__ is, unless it is an attribute of that kind itself.
#pragma once

template <unsigned long bytes>
__host__ __device__ constexpr unsigned long warpgrade_alignment() {
  return bytes;
}
template <class T>
__host__ __device__ constexpr unsigned long warpgrade_alignment() {
  return alignof(T);
}
#define alignas(...) __attribute__((aligned(warpgrade_alignment<__VA_ARGS__>())))
