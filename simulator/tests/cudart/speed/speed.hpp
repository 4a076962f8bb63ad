// What the programs of the speed bench share: numbers from a seed, and an end that says whether the result is
// right.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t error_ = (call);                                            \
    if (error_ != cudaSuccess) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
      std::exit(2);                                                               \
    }                                                                             \
  } while (false)

/// The same numbers on every machine.
inline std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> made(count);
  std::uint32_t state = 2463534242;
  for (std::uint32_t &one : made) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    one = state;
  }
  return made;
}

template <class T>
T *upload(const std::vector<T> &data) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, data.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <class T>
T *room(std::size_t count) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, count * sizeof(T)));
  return device;
}

template <class T>
std::vector<T> download(const T *device, std::size_t count) {
  std::vector<T> data(count);
  CHECK(cudaMemcpy(data.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return data;
}

inline int finish(bool right) {
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
