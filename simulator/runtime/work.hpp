// The operations of streams, as data: done immediately, or kept in a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "runtime/state.hpp"

namespace warpgrade::cuda {

struct Graph;

/// Bytes of a place: `height` rows of `width`, `pitch` apart, in each of `depth` slices, `slice` apart.
struct Box {
  std::uint64_t width = 0, height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};
struct Place {
  void *at = nullptr;
  std::uint64_t pitch = 0, slice = 0;
  std::byte *row(std::uint64_t y, std::uint64_t z) const {
    return static_cast<std::byte *>(at) + z * slice + y * pitch;
  }
  std::uint64_t extent(const Box &box) const {
    return (box.depth - 1) * slice + (box.height - 1) * pitch + box.width;
  }
};

struct EmptyWork {};
struct KernelWork {
  const void *function = nullptr;
  dim3 grid, block;
  std::size_t shared = 0;
  bool cooperative = false;
  std::vector<std::byte> arguments;  ///< packed
  dim3 cluster{0, 0, 0};             ///< blocks of a cluster; zeros: the launch does not say
  int device = 0;
};
struct CopyWork {
  Place to, from;
  Box box;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};
struct FillWork {
  Place to;
  unsigned value = 0, element = 1;  ///< bytes of the value that count: 1, 2 or 4
  Box box;
};
struct HostWork {
  cudaHostFn_t function = nullptr;
  void *data = nullptr;
};
struct EventWork {
  cudaEvent_t event = nullptr;
  bool records = true;  ///< else it waits, which is nothing where everything is done in order
};
struct GraphWork {
  std::shared_ptr<Graph> graph;
};
/// One of the bodies runs, or none, as the condition says that kernels set.
struct ConditionalWork {
  enum class Kind { if_else, while_true, choice };  ///< as cudaGraphConditionalNodeType counts
  Kind kind = Kind::if_else;
  unsigned long long handle = 0;
  std::vector<std::shared_ptr<Graph>> bodies;
};
/// Memory of a graph is there from the time when its node is added.
struct AllocateWork {
  void *memory = nullptr;
  std::size_t bytes = 0;
};
struct FreeWork {
  void *memory = nullptr;
};
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, EventWork, GraphWork,
                          ConditionalWork, AllocateWork, FreeWork>;

/// One row.
inline CopyWork line_copy(void *to, const void *from, std::uint64_t bytes, cudaMemcpyKind kind) {
  return {{to, bytes, bytes}, {const_cast<void *>(from), bytes, bytes}, {bytes}, kind};
}

/// What every backend answers before it looks at the memory: an error, cudaSuccess if there is nothing to
/// copy, or nothing.
inline std::optional<cudaError_t> answer_without_memory(const CopyWork &work) {
  const auto &[to, from, box, kind] = work;
  if (box.empty()) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (to.at == nullptr || from.at == nullptr) return cudaErrorInvalidValue;
  if (box.height > 1 && (to.pitch < box.width || from.pitch < box.width)) return cudaErrorInvalidPitchValue;
  return std::nullopt;
}
inline std::optional<cudaError_t> answer_without_memory(const FillWork &work) {
  const auto &[to, value, element, box] = work;
  if (box.empty()) return cudaSuccess;
  if (to.at == nullptr) return cudaErrorInvalidValue;
  if (box.height > 1 && to.pitch < box.width) return cudaErrorInvalidValue;
  return std::nullopt;
}

}  // namespace warpgrade::cuda
