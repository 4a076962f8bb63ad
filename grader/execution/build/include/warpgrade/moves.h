// std::move and std::forward for kernels: nvcc lets threads call these of the library's constexpr functions,
// and no others. Needs __device__.
#pragma once

#include <type_traits>

namespace std {
template <class T>
__device__ __attribute__((always_inline)) constexpr remove_reference_t<T> &&move(T &&value) noexcept {
  return static_cast<remove_reference_t<T> &&>(value);
}
template <class T>
__device__ __attribute__((always_inline)) constexpr T &&forward(remove_reference_t<T> &value) noexcept {
  return static_cast<T &&>(value);
}
template <class T>
__device__ __attribute__((always_inline)) constexpr T &&forward(remove_reference_t<T> &&value) noexcept {
  return static_cast<T &&>(value);
}
}  // namespace std
