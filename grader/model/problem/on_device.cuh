// What a problem.cu includes: the part of a problem that a GPU computes by itself, so that timed runs need
// neither the host's random numbers nor its reference. docs/adding-an-assignment.md writes one.
//
// A structure with these static members, each marked WARPGRADE_ANYWHERE, is one problem:
//
//   name                            a constant: that of the problem in problem.cpp
//   element(c, seed, array, i)      as in problem.cpp; best the same function, from a header of the folder
//   want(c, in, groups, i)          element i of the outputs, which are numbered one array after the other
//
// Where the elements depend on something that only one thread can draw, such as row pointers:
//
//   first_array(c, seed)            all of array 0, a std::vector of its type that the host makes
//   element(c, seed, array, i, in)  the others, which may read it: in.of<T>(0)
//
// What many elements share is computed once in a group of them, by one thread for each group:
//
//   Group                           a structure of numbers
//   groups(c)                       how many there are
//   group(c, in, g)                 group g, from the inputs
//   join(c, groups)                 optional: one thread changes all groups, in order
//   want_group(c, in, groups, g, to)  instead of want(): all elements of group g, to.put(i, wanted)
//
// Results that take several kernels, one after the other, such as those of a sort:
//
//   want_all(c, in, wanted, stream)   instead of want(), on the host: calls each(), and returns its error
//
// WARPGRADE_ON_DEVICE(A, B) registers the problems A and B, which belong in a namespace of the folder's own,
// such as of_sort: other folders may have structures of the same names. In an unnamed one, nvcc would name
// them after the checkout's path and its own process, and no two builds would be equal. Compiled by an
// ordinary compiler, everything runs on the host: so tests need no GPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "problem/element.hpp"
#include "problem/on_device.hpp"
#include "problem/random.hpp"

#ifdef __CUDACC__
#define WARPGRADE_ANYWHERE __host__ __device__
#else
#define WARPGRADE_ANYWHERE
#endif

namespace warpgrade::problem::on_device {

/// The arrays of a case in memory of the GPU.
struct Arrays {
  void *at[OnDeviceCase::most_arrays] = {};
  template <typename T>
  WARPGRADE_ANYWHERE const T *of(int array) const {
    return static_cast<const T *>(at[array]);
  }
};

/// |got - value| <= tolerance * scale is accepted; scale 0: must be equal.
struct Wanted {
  double value = 0, scale = 0;
};

/// Where want_group() puts its elements.
struct Wants {
  Wanted *all = nullptr;
  WARPGRADE_ANYWHERE void put(std::uint64_t i, const Wanted &wanted) const { all[i] = wanted; }
};

struct NoGroup {};

/// A problem without its type. Every function returns 0 or an error of the CUDA runtime.
struct Entry {
  const char *name;
  int (*deal)(const OnDeviceCase &, std::uint64_t seed, const Arrays &, void *stream);
  int (*want)(const OnDeviceCase &, const Arrays &dealt, Wanted *, std::uint64_t count, void *stream);
};
std::vector<Entry> &entries();

#ifdef __CUDACC__
template <typename Body>
__global__ void each_kernel(std::uint64_t count, Body body) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) body(i);
}
#endif

/// body(0), body(1), ..., each in a thread of its own on a GPU.
template <typename Body>
int each(std::uint64_t count, [[maybe_unused]] void *stream, const Body &body) {
  if (count == 0) return 0;
#ifdef __CUDACC__
  constexpr std::uint64_t threads = 128, most_blocks = 1 << 16;
  const std::uint64_t blocks = (count + threads - 1) / threads;
  each_kernel<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads, 0,
                static_cast<cudaStream_t>(stream)>>>(count, body);
  return cudaGetLastError();
#else
  for (std::uint64_t i = 0; i < count; ++i) body(i);
  return 0;
#endif
}

/// Memory that is kept from one call to the next and grows when needed; null if there is no more.
class Kept {
 public:
  void *reserve(std::uint64_t bytes) {
    if (bytes <= bytes_) return at_;
#ifdef __CUDACC__
    cudaFree(at_);
    at_ = nullptr;
    bytes_ = cudaMalloc(&at_, bytes) == cudaSuccess ? bytes : 0;
#else
    host_.resize(bytes);
    at_ = host_.data();
    bytes_ = bytes;
#endif
    return at_;
  }

 private:
  void *at_ = nullptr;
  std::uint64_t bytes_ = 0;
#ifndef __CUDACC__
  std::vector<unsigned char> host_;
#endif
};
inline constexpr int no_memory = 2;  ///< cudaErrorMemoryAllocation

template <class P>
concept Grouped = requires {
  typename P::Group;
};
template <class P>
concept Joined = requires(const OnDeviceCase &c, typename P::Group *groups) {
  P::join(c, groups);
};
template <class P>
concept WantsByGroup = requires(const OnDeviceCase &c, const Arrays &in, Wants to) {
  P::want_group(c, in, nullptr, std::uint64_t{}, to);
};

template <class P>
concept WantsAll = requires(const OnDeviceCase &c, const Arrays &in, Wanted *wanted, void *stream) {
  P::want_all(c, in, wanted, stream);
};

template <class P>
concept BeginsOnTheHost = requires(const OnDeviceCase &c) {
  P::first_array(c, std::uint64_t{});
};

/// To memory of the GPU, before anything that follows on the stream.
inline int send(void *to, const void *from, std::uint64_t bytes, [[maybe_unused]] void *stream) {
#ifdef __CUDACC__
  const auto on = static_cast<cudaStream_t>(stream);
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, on);
  return error == cudaSuccess ? cudaStreamSynchronize(on) : error;
#else
  std::memcpy(to, from, bytes);
  return 0;
#endif
}

template <class P>
WARPGRADE_ANYWHERE std::uint64_t element_of(const OnDeviceCase &c, std::uint64_t seed, std::uint32_t array,
                                            std::uint64_t i, [[maybe_unused]] const Arrays &in) {
  if constexpr (BeginsOnTheHost<P>)
    return P::element(c, seed, static_cast<int>(array), i, in);
  else
    return P::element(c, seed, static_cast<int>(array), i);
}

template <class P>
int deal(const OnDeviceCase &c, std::uint64_t seed, const Arrays &arrays, void *stream) {
  std::uint32_t first = 0;
  if constexpr (BeginsOnTheHost<P>) {
    const auto all = P::first_array(c, seed);
    if (const int error = send(arrays.at[0], all.data(), all.size() * sizeof all[0], stream)) return error;
    first = 1;
  }
  for (std::uint32_t a = first; a < c.arrays; ++a) {
    void *const to = arrays.at[a];
    const auto type = static_cast<Type>(c.types[a]);
    const int error = each(c.elements[a], stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
      const std::uint64_t bits = element_of<P>(c, seed, a, i, arrays);
      switch (bytes_of(type)) {
        case 1:
          static_cast<std::uint8_t *>(to)[i] = static_cast<std::uint8_t>(bits);
          break;
        case 2:
          static_cast<std::uint16_t *>(to)[i] = static_cast<std::uint16_t>(bits);
          break;
        case 4:
          static_cast<std::uint32_t *>(to)[i] = static_cast<std::uint32_t>(bits);
          break;
        default:
          static_cast<std::uint64_t *>(to)[i] = bits;
      }
    });
    if (error != 0) return error;
  }
  return 0;
}

template <class P>
int want(const OnDeviceCase &c, const Arrays &in, Wanted *wanted, std::uint64_t count, void *stream) {
  if constexpr (WantsAll<P>) {
    return P::want_all(c, in, wanted, stream);
  } else if constexpr (Grouped<P>) {
    static Kept kept;
    using Group = typename P::Group;
    const std::uint64_t how_many = P::groups(c);
    auto *const groups = static_cast<Group *>(kept.reserve((how_many + 1) * sizeof(Group)));
    if (groups == nullptr) return no_memory;
    int error =
        each(how_many, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t g) { groups[g] = P::group(c, in, g); });
    if constexpr (Joined<P>)
      if (error == 0) error = each(1, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t) { P::join(c, groups); });
    if (error != 0) return error;
    if constexpr (WantsByGroup<P>)
      return each(how_many, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t g) {
        P::want_group(c, in, groups, g, Wants{wanted});
      });
    else
      return each(count, stream,
                  [=] WARPGRADE_ANYWHERE(std::uint64_t i) { wanted[i] = P::want(c, in, groups, i); });
  } else {
    return each(count, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
      wanted[i] = P::want(c, in, static_cast<const NoGroup *>(nullptr), i);
    });
  }
}

template <class... Problems>
struct Registration {
  Registration() { (entries().push_back({Problems::name, deal<Problems>, want<Problems>}), ...); }
};

#define WARPGRADE_ON_DEVICE(...) \
  static const ::warpgrade::problem::on_device::Registration<__VA_ARGS__> on_this_device;

}  // namespace warpgrade::problem::on_device
