// What streams are asked to do, as data: done at once, or kept in a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "cudart/library/addresses.hpp"

namespace warpgrade::cudart {

class Runtime;
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
/// Memory of a graph is there from the time when its node is added.
struct AllocateWork {
  void *memory = nullptr;
  std::size_t bytes = 0;
};
struct FreeWork {
  void *memory = nullptr;
};
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, EventWork, GraphWork,
                          AllocateWork, FreeWork>;

/// Does it now; `call` is the call of the program that asks for it.
cudaError_t perform(Runtime &, const char *call, const Work &);
/// The same, but where the stream is captured the work becomes a node of its graph.
cudaError_t submit(Runtime &, const char *call, cudaStream_t, Work);
/// Whether the stream's work goes into a graph.
bool is_captured(const Runtime &, cudaStream_t);

// launch.cpp
cudaError_t launch_kernel(Runtime &, const char *call, const KernelWork &);
/// Checks a launch and copies its arguments, without running anything.
cudaError_t make_kernel_work(Runtime &, const char *call, void **arguments, KernelWork &);

// copy.cpp
cudaError_t copy(Runtime &, const char *call, const CopyWork &);
cudaError_t fill(Runtime &, const char *call, const FillWork &);
/// A copy from or to a variable of the program.
cudaError_t make_symbol_copy(Runtime &, const char *call, const void *symbol, void *other, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind, bool to_symbol, CopyWork &);
cudaError_t make_copy(Runtime &, const char *call, const cudaMemcpy3DParms *, CopyWork &);
/// One row.
CopyWork line_copy(void *to, const void *from, std::uint64_t bytes, cudaMemcpyKind);

// allocate.cpp
cudaError_t allocate_on_device(Runtime &, void **to, std::uint64_t bytes);
cudaError_t free_on_device(Runtime &, const char *call, void *);

}  // namespace warpgrade::cudart
