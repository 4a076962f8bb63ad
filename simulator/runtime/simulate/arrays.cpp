#include "runtime/simulate/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {

bool read_format(const cudaChannelFormatDesc &from, simt::TexelFormat &to) {
  using Texels = simt::TexelFormat::Kind;
  const int bits[] = {from.x, from.y, from.z, from.w};
  const auto count = std::find(std::begin(bits), std::end(bits), 0) - std::begin(bits);
  for (int i = 0; i < count; ++i)
    if (bits[i] != bits[0]) return false;
  const bool sizes = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
  if (!sizes || (count != 1 && count != 2 && count != 4)) return false;
  if (from.f != cudaChannelFormatKindSigned && from.f != cudaChannelFormatKindUnsigned &&
      (from.f != cudaChannelFormatKindFloat || bits[0] == 8))
    return false;
  to.kind = from.f == cudaChannelFormatKindSigned     ? Texels::signed_integer
            : from.f == cudaChannelFormatKindUnsigned ? Texels::unsigned_integer
                                                      : Texels::floating;
  to.channels = static_cast<std::uint8_t>(count);
  to.bits = static_cast<std::uint8_t>(bits[0]);
  return true;
}

const Array *find_array(const Runtime &r, const void *handle) {
  if (const auto found = r.arrays.find(handle); found != r.arrays.end()) return found->second.get();
  for (const auto &[key, mipmap] : r.mipmaps)
    for (const auto &level : mipmap->levels)
      if (level.get() == handle) return level.get();
  return nullptr;
}

namespace {

cudaError_t make_array(const char *call, std::unique_ptr<Array> &to, const cudaChannelFormatDesc *channels,
                       const cudaExtent &extent, unsigned flags) {
  auto made = std::make_unique<Array>();
  if (channels == nullptr || !read_format(*channels, made->image.format))
    return cudaErrorInvalidChannelDescriptor;
  if (extent.width == 0 || (flags & ~0x7fu) != 0) return cudaErrorInvalidValue;
  if ((flags & cudaArrayCubemap) != 0 && (extent.width != extent.height || extent.depth % 6 != 0))
    return cudaErrorInvalidValue;
  made->channels = *channels;
  made->extent = extent;
  made->flags = flags;
  simt::Image &image = made->image;
  image.width = extent.width;
  image.height = std::max<std::size_t>(extent.height, 1);
  image.depth = std::max<std::size_t>(extent.depth, 1);
  image.pitch = image.width * image.format.bytes();
  image.slice = image.pitch * image.height;
  void *memory = nullptr;
  if (const cudaError_t error = backend::allocate(call, &memory, image.slice * image.depth);
      error != cudaSuccess)
    return error;
  image.address = number(memory);
  to = std::move(made);
  return cudaSuccess;
}

cudaError_t allocate_array(Runtime &r, const char *call, cudaArray_t *to,
                           const cudaChannelFormatDesc *channels, const cudaExtent &extent, unsigned flags) {
  if (to == nullptr) return cudaErrorInvalidValue;
  std::unique_ptr<Array> made;
  if (const cudaError_t error = make_array(call, made, channels, extent, flags); error != cudaSuccess)
    return error;
  *to = reinterpret_cast<cudaArray_t>(made.get());
  r.arrays[made.get()] = std::move(made);
  return cudaSuccess;
}

/// Copies between memory and an array, or two arrays, that are one row of bytes or a rectangle.
struct ArrayCopy {
  const void *array;
  std::size_t x, y;  ///< bytes, rows
  void *memory;
  std::size_t pitch, width, height;
  cudaMemcpyKind kind;
  bool to_array;
};

cudaError_t copy_array(Runtime &r, const char *call, cudaStream_t stream, const ArrayCopy &c) {
  const Array *array = find_array(r, c.array);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  Place inside = array->place(c.x, c.y, 0);
  const Place outside{c.memory, c.pitch, 0};
  if (c.height == 1) inside.pitch = c.width;
  CopyWork work{c.to_array ? inside : outside, c.to_array ? outside : inside, {c.width, c.height}, c.kind};
  return submit(r, call, stream, work);
}

template <class Body>
cudaError_t with_array(const char *call, const void *handle, const Body &body) {
  return api(call, Waits::no, [&](Runtime &r) {
    const Array *array = find_array(r, handle);
    return array == nullptr ? cudaErrorInvalidResourceHandle : body(r, *array);
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs still call what CUDA deprecates

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t *to, const cudaChannelFormatDesc *channels, size_t width,
                            size_t height, unsigned flags) {
  return api("cudaMallocArray", Waits::yes, [&](Runtime &r) {
    return allocate_array(r, "cudaMallocArray", to, channels, {width, height, 0}, flags);
  });
}
cudaError_t cudaMalloc3DArray(cudaArray_t *to, const cudaChannelFormatDesc *channels, cudaExtent extent,
                              unsigned flags) {
  return api("cudaMalloc3DArray", Waits::yes,
             [&](Runtime &r) { return allocate_array(r, "cudaMalloc3DArray", to, channels, extent, flags); });
}
cudaError_t cudaFreeArray(cudaArray_t given) {
  return api("cudaFreeArray", Waits::yes, [&](Runtime &r) {
    if (given == nullptr) return cudaSuccess;
    const auto found = r.arrays.find(given);
    if (found == r.arrays.end()) return cudaErrorContextIsDestroyed;  // as hardware answers
    const cudaError_t error =
        backend::release("cudaFreeArray", pointer(found->second->image.address), nullptr);
    r.arrays.erase(found);
    return error;
  });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *channels, cudaExtent *extent, unsigned *flags,
                             cudaArray_t given) {
  return with_array("cudaArrayGetInfo", given, [&](Runtime &, const Array &array) {
    if (channels != nullptr) *channels = array.channels;
    if (extent != nullptr) *extent = array.extent;
    if (flags != nullptr) *flags = array.flags;
    return cudaSuccess;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *channels, cudaArray_const_t given) {
  return with_array("cudaGetChannelDesc", given, [&](Runtime &, const Array &array) {
    if (channels == nullptr) return cudaErrorInvalidValue;
    *channels = array.channels;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *to, const cudaChannelFormatDesc *channels,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return api("cudaMallocMipmappedArray", Waits::yes, [&](Runtime &r) {
    if (to == nullptr || levels == 0) return cudaErrorInvalidValue;
    auto made = std::make_unique<Mipmap>();
    const auto half = [](std::size_t n) { return n == 0 ? n : std::max<std::size_t>(n / 2, 1); };
    const bool layered = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    for (unsigned i = 0; i < levels; ++i) {
      std::unique_ptr<Array> level;
      if (const cudaError_t error = make_array("cudaMallocMipmappedArray", level, channels, extent, flags);
          error != cudaSuccess)
        return error;
      level->owned = false;
      made->levels.push_back(std::move(level));
      if (extent.width <= 1 && extent.height <= 1 && (layered || extent.depth <= 1)) break;
      extent = {half(extent.width), half(extent.height), layered ? extent.depth : half(extent.depth)};
    }
    *to = reinterpret_cast<cudaMipmappedArray_t>(made.get());
    r.mipmaps[made.get()] = std::move(made);
    return cudaSuccess;
  });
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *to, cudaMipmappedArray_const_t given, unsigned level) {
  return api("cudaGetMipmappedArrayLevel", Waits::no, [&](Runtime &r) {
    const auto found = r.mipmaps.find(given);
    if (to == nullptr || found == r.mipmaps.end() || level >= found->second->levels.size())
      return cudaErrorInvalidValue;
    *to = reinterpret_cast<cudaArray_t>(found->second->levels[level].get());
    return cudaSuccess;
  });
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t given) {
  return api("cudaFreeMipmappedArray", Waits::yes, [&](Runtime &r) {
    if (given == nullptr) return cudaSuccess;
    const auto found = r.mipmaps.find(given);
    if (found == r.mipmaps.end()) return cudaErrorInvalidValue;
    for (const auto &level : found->second->levels)
      backend::release("cudaFreeMipmappedArray", pointer(level->image.address), nullptr);
    r.mipmaps.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return api("cudaMemcpy2DToArray", Waits::yes, [&](Runtime &r) {
    return copy_array(r, "cudaMemcpy2DToArray", cudaStreamPerThread,
                      {to, x, y, const_cast<void *>(from), pitch, width, height, kind, true});
  });
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return api("cudaMemcpy2DToArrayAsync", Waits::no, [&](Runtime &r) {
    return copy_array(r, "cudaMemcpy2DToArrayAsync", stream,
                      {to, x, y, const_cast<void *>(from), pitch, width, height, kind, true});
  });
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return api("cudaMemcpy2DFromArray", Waits::yes, [&](Runtime &r) {
    return copy_array(r, "cudaMemcpy2DFromArray", cudaStreamPerThread,
                      {from, x, y, to, pitch, width, height, kind, false});
  });
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return api("cudaMemcpy2DFromArrayAsync", Waits::no, [&](Runtime &r) {
    return copy_array(r, "cudaMemcpy2DFromArrayAsync", stream,
                      {from, x, y, to, pitch, width, height, kind, false});
  });
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              cudaMemcpyKind kind) {
  return api("cudaMemcpyToArray", Waits::yes, [&](Runtime &r) {
    return copy_array(r, "cudaMemcpyToArray", cudaStreamPerThread,
                      {to, x, y, const_cast<void *>(from), bytes, bytes, 1, kind, true});
  });
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return api("cudaMemcpyToArrayAsync", Waits::no, [&](Runtime &r) {
    return copy_array(r, "cudaMemcpyToArrayAsync", stream,
                      {to, x, y, const_cast<void *>(from), bytes, bytes, 1, kind, true});
  });
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return api("cudaMemcpyFromArray", Waits::yes, [&](Runtime &r) {
    return copy_array(r, "cudaMemcpyFromArray", cudaStreamPerThread,
                      {from, x, y, to, bytes, bytes, 1, kind, false});
  });
}
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return api("cudaMemcpyFromArrayAsync", Waits::no, [&](Runtime &r) {
    return copy_array(r, "cudaMemcpyFromArrayAsync", stream, {from, x, y, to, bytes, bytes, 1, kind, false});
  });
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     cudaMemcpyKind) {
  return with_array("cudaMemcpy2DArrayToArray", to, [&](Runtime &r, const Array &target) {
    const Array *source = find_array(r, from);
    if (source == nullptr) return cudaErrorInvalidResourceHandle;
    return copy(r, "cudaMemcpy2DArrayToArray",
                {target.place(to_x, to_y, 0),
                 source->place(from_x, from_y, 0),
                 {width, height},
                 cudaMemcpyDeviceToDevice});
  });
}

WARPGRADE_ALSO(cudaMemcpy2DToArray, _ptds);
WARPGRADE_ALSO(cudaMemcpy2DFromArray, _ptds);
WARPGRADE_ALSO(cudaMemcpyToArray, _ptds);
WARPGRADE_ALSO(cudaMemcpyFromArray, _ptds);
WARPGRADE_ALSO(cudaMemcpy2DArrayToArray, _ptds);
WARPGRADE_ALSO(cudaMemcpy2DToArrayAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpy2DFromArrayAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpyToArrayAsync, _ptsz);
WARPGRADE_ALSO(cudaMemcpyFromArrayAsync, _ptsz);

}  // extern "C"
