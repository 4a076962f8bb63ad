// Copies and fills of rows and rectangles, and copies from and to variables.
#include "runtime/copies.hpp"

namespace warpgrade::cuda {

cudaError_t make_symbol_copy(const char *call, const SymbolCopy &c, CopyWork &work) {
  std::uint64_t address = 0;
  if (const cudaError_t error = backend::find_variable(call, c.symbol, 0, 0, address); error != cudaSuccess)
    return error;
  const bool fits = c.kind == cudaMemcpyDefault || c.kind == cudaMemcpyDeviceToDevice ||
                    c.kind == (c.to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
  if (!fits) return cudaErrorInvalidMemcpyDirection;
  if (const cudaError_t error = backend::find_variable(call, c.symbol, c.offset, c.bytes, address);
      error != cudaSuccess)
    return error;
  void *const at = pointer(address);
  work = c.to_symbol ? line_copy(at, c.other, c.bytes, c.kind) : line_copy(c.other, at, c.bytes, c.kind);
  return cudaSuccess;
}

namespace {

CopyWork rows_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t height, cudaMemcpyKind kind) {
  return {{to, to_pitch}, {const_cast<void *>(from), from_pitch}, {width, height}, kind};
}

FillWork rows_fill(void *to, size_t pitch, int value, size_t width, size_t height) {
  return {{to, pitch}, static_cast<unsigned>(value), 1, {width, height}};
}

cudaError_t copy_symbol(const char *call, Waits waits, cudaStream_t stream, const SymbolCopy &c) {
  return backend::enter(call, waits, [&] {
    CopyWork work;
    const cudaError_t error = make_symbol_copy(call, c, work);
    return error == cudaSuccess ? backend::submit(call, stream, work) : error;
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return at_once("cudaMemcpy", line_copy(to, from, bytes, kind));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return in_stream("cudaMemcpyAsync", stream, line_copy(to, from, bytes, kind));
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return at_once("cudaMemcpy2D", rows_copy(to, to_pitch, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream("cudaMemcpy2DAsync", stream,
                   rows_copy(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  return at_once("cudaMemset", rows_fill(to, bytes, value, bytes, 1));
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  return in_stream("cudaMemsetAsync", stream, rows_fill(to, bytes, value, bytes, 1));
}
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return at_once("cudaMemset2D", rows_fill(to, pitch, value, width, height));
}
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return in_stream("cudaMemset2DAsync", stream, rows_fill(to, pitch, value, width, height));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_symbol("cudaMemcpyToSymbol", Waits::yes, nullptr,
                     {symbol, const_cast<void *>(from), bytes, offset, kind, true});
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol("cudaMemcpyToSymbolAsync", Waits::no, stream,
                     {symbol, const_cast<void *>(from), bytes, offset, kind, true});
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_symbol("cudaMemcpyFromSymbol", Waits::yes, nullptr, {symbol, to, bytes, offset, kind, false});
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol("cudaMemcpyFromSymbolAsync", Waits::no, stream,
                     {symbol, to, bytes, offset, kind, false});
}
cudaError_t cudaGetSymbolAddress(void **to, const void *symbol) {
  constexpr const char *call = "cudaGetSymbolAddress";
  return backend::enter(call, Waits::no, [&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    std::uint64_t address = 0;
    const cudaError_t error = backend::find_variable(call, symbol, 0, 0, address);
    if (error == cudaSuccess) *to = pointer(address);
    return error;
  });
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  constexpr const char *call = "cudaGetSymbolSize";
  return backend::enter(call, Waits::no, [&] {
    return bytes == nullptr ? cudaErrorInvalidValue : backend::variable_bytes(call, symbol, *bytes);
  });
}

WARPGRADE_ALSO(cudaMemcpy, _ptds);
WARPGRADE_ALSO(cudaMemcpy2D, _ptds);
WARPGRADE_ALSO(cudaMemcpyToSymbol, _ptds);
WARPGRADE_ALSO(cudaMemcpyFromSymbol, _ptds);
WARPGRADE_ALSO(cudaMemset, _ptds);
WARPGRADE_ALSO(cudaMemset2D, _ptds);
WARPGRADE_ALSO(cudaMemcpyAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpy2DAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpyToSymbolAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpyFromSymbolAsync, _ptsz);
WARPGRADE_ALSO(cudaMemsetAsync, _ptsz);
WARPGRADE_ALSO(cudaMemset2DAsync, _ptsz);

}  // extern "C"
