// What calls that move memory have in common.
#pragma once

#include <cstddef>
#include <utility>

#include "runtime/backend.hpp"

namespace warpgrade::cuda {

struct SymbolCopy {
  const void *symbol;
  void *other;
  std::size_t bytes, offset;
  cudaMemcpyKind kind;
  bool to_symbol;
};
/// A copy from or to a variable of the program.
cudaError_t make_symbol_copy(const char *call, const SymbolCopy &, CopyWork &);

/// cudaMalloc and cudaMallocPitch, in a call that is in progress.
cudaError_t allocate(const char *call, void **to, std::uint64_t bytes);
cudaError_t allocate_rows(const char *call, void **to, std::size_t *pitch, std::size_t width,
                          std::size_t rows);

/// A call that is one piece of work: one that waits for the device, and one in a stream.
inline cudaError_t at_once(const char *call, const Work &work) {
  return backend::enter(call, Waits::yes, [&] { return backend::perform(call, work); });
}
inline cudaError_t in_stream(const char *call, cudaStream_t stream, Work work) {
  return backend::enter(call, Waits::no, [&] { return backend::submit(call, stream, std::move(work)); });
}

}  // namespace warpgrade::cuda
