// The driver API: arrays, textures and surfaces. The objects are the runtime's; the driver describes them by structs of
// its own.
#include <algorithm>
#include <cstring>

#include "runtime/copies.hpp"
#include "runtime/simulate/driver.hpp"

namespace warpgrade::cuda {
namespace {

struct Format {
  CUarray_format name;
  int bits;
  cudaChannelFormatKind kind;
};
constexpr Format formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

/// For an unknown format, a description without bits, which is no valid format of an array.
cudaChannelFormatDesc channels_of(CUarray_format format, unsigned count) {
  cudaChannelFormatDesc to{0, 0, 0, 0, cudaChannelFormatKindNone};
  int *const bits[] = {&to.x, &to.y, &to.z, &to.w};
  for (const Format &one : formats) {
    if (one.name != format) continue;
    to.f = one.kind;
    for (unsigned i = 0; i < std::min(count, 4u); ++i) *bits[i] = one.bits;
  }
  return to;
}

void name_format(const cudaChannelFormatDesc &from, CUarray_format &format, unsigned &count) {
  for (const Format &one : formats)
    if (one.kind == from.f && one.bits == from.x) format = one.name;
  count = 1u + (from.y != 0) + (from.z != 0) + (from.w != 0);
}

cudaArray_t runtime_array(CUarray array) {
  return reinterpret_cast<cudaArray_t>(array);
}
cudaMipmappedArray_t runtime_mipmap(CUmipmappedArray mipmap) {
  return reinterpret_cast<cudaMipmappedArray_t>(mipmap);
}

bool read_resource(const CUDA_RESOURCE_DESC &from, cudaResourceDesc &to) {
  to = {};
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.resType = cudaResourceTypeArray;
      to.res.array.array = runtime_array(from.res.array.hArray);
      return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to.resType = cudaResourceTypeMipmappedArray;
      to.res.mipmap.mipmap = runtime_mipmap(from.res.mipmap.hMipmappedArray);
      return true;
    case CU_RESOURCE_TYPE_LINEAR:
      to.resType = cudaResourceTypeLinear;
      to.res.linear.devPtr = pointer(from.res.linear.devPtr);
      to.res.linear.desc = channels_of(from.res.linear.format, from.res.linear.numChannels);
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return true;
    case CU_RESOURCE_TYPE_PITCH2D:
      to.resType = cudaResourceTypePitch2D;
      to.res.pitch2D.devPtr = pointer(from.res.pitch2D.devPtr);
      to.res.pitch2D.desc = channels_of(from.res.pitch2D.format, from.res.pitch2D.numChannels);
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return true;
    default:
      return false;
  }
}

CUDA_RESOURCE_DESC driver_resource(const cudaResourceDesc &from) {
  CUDA_RESOURCE_DESC to{};
  switch (from.resType) {
    case cudaResourceTypeArray:
      to.resType = CU_RESOURCE_TYPE_ARRAY;
      to.res.array.hArray = reinterpret_cast<CUarray>(from.res.array.array);
      break;
    case cudaResourceTypeMipmappedArray:
      to.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
      to.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(from.res.mipmap.mipmap);
      break;
    case cudaResourceTypeLinear:
      to.resType = CU_RESOURCE_TYPE_LINEAR;
      to.res.linear.devPtr = number(from.res.linear.devPtr);
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      name_format(from.res.linear.desc, to.res.linear.format, to.res.linear.numChannels);
      break;
    default:
      to.resType = CU_RESOURCE_TYPE_PITCH2D;
      to.res.pitch2D.devPtr = number(from.res.pitch2D.devPtr);
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      name_format(from.res.pitch2D.desc, to.res.pitch2D.format, to.res.pitch2D.numChannels);
  }
  return to;
}

/// The channels that a texture on this resource reads.
cudaChannelFormatDesc channels_in(const cudaResourceDesc &from) {
  cudaChannelFormatDesc channels{};
  cudaArray_t array = nullptr;
  switch (from.resType) {
    case cudaResourceTypeLinear:
      return from.res.linear.desc;
    case cudaResourceTypePitch2D:
      return from.res.pitch2D.desc;
    case cudaResourceTypeMipmappedArray:
      cudaGetMipmappedArrayLevel(&array, from.res.mipmap.mipmap, 0);
      break;
    default:
      array = from.res.array.array;
  }
  if (array != nullptr) cudaGetChannelDesc(&channels, array);
  return channels;
}

cudaTextureDesc runtime_texture(const CUDA_TEXTURE_DESC &from, const cudaResourceDesc &resource) {
  cudaTextureDesc to{};
  for (int d = 0; d < 3; ++d) to.addressMode[d] = static_cast<cudaTextureAddressMode>(from.addressMode[d]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  const cudaChannelFormatDesc channels = channels_in(resource);
  // Integers of 8 and 16 bits are read as fractions, unless the program asks for integers.
  const bool becomes_fraction = channels.f != cudaChannelFormatKindFloat && channels.x < 32 &&
                                (from.flags & CU_TRSF_READ_AS_INTEGER) == 0;
  to.readMode = becomes_fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::memcpy(to.borderColor, from.borderColor, sizeof to.borderColor);
  return to;
}

CUDA_TEXTURE_DESC driver_texture(const cudaTextureDesc &from) {
  CUDA_TEXTURE_DESC to{};
  for (int d = 0; d < 3; ++d) to.addressMode[d] = static_cast<CUaddress_mode>(from.addressMode[d]);
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  to.flags = (from.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
             (from.normalizedCoords != 0 ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
             (from.sRGB != 0 ? CU_TRSF_SRGB : 0u);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::memcpy(to.borderColor, from.borderColor, sizeof to.borderColor);
  return to;
}

CUresult describe(CUDA_ARRAY3D_DESCRIPTOR *to, CUarray array) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  unsigned flags = 0;
  const CUresult result = through_runtime(
      Needs::context, [&] { return cudaArrayGetInfo(&channels, &extent, &flags, runtime_array(array)); });
  if (result != CUDA_SUCCESS) return result;
  *to = {};
  to->Width = extent.width, to->Height = extent.height, to->Depth = extent.depth, to->Flags = flags;
  name_format(channels, to->Format, to->NumChannels);
  return CUDA_SUCCESS;
}

/// A row of bytes in an array, and how many of them a copy takes.
struct Row {
  CUarray array;
  size_t offset, bytes;
};

cudaError_t place_in(const Runtime &r, const Row &row, Place &to) {
  const Array *array = find_array(r, row.array);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  if (row.offset > array->image.pitch || row.bytes > array->image.pitch - row.offset)
    return cudaErrorInvalidValue;
  to = array->place(row.offset, 0, 0);
  return cudaSuccess;
}

/// Copies a row of an array from or to memory; `waits`: at once, otherwise in the order of a stream.
CUresult copy_row(const char *call, const Row &row, void *memory, cudaMemcpyKind kind, bool to_array,
                  bool waits, CUstream stream = nullptr) {
  return driver_call(call, waits ? Waits::yes : Waits::no, Needs::context, [&](Runtime &r) {
    Place inside;
    if (const cudaError_t error = place_in(r, row, inside); error != cudaSuccess) return error;
    const Place outside{memory, row.bytes, 0};
    const CopyWork work{to_array ? inside : outside, to_array ? outside : inside, {row.bytes, 1}, kind};
    return waits ? copy(r, call, work) : submit(r, call, stream, work);
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

CUresult cuArrayCreate(CUarray *to, const CUDA_ARRAY_DESCRIPTOR *from) {
  if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR solid{};
  solid.Width = from->Width, solid.Height = from->Height;
  solid.Format = from->Format, solid.NumChannels = from->NumChannels;
  return cuArray3DCreate(to, &solid);
}
CUresult cuArray3DCreate(CUarray *to, const CUDA_ARRAY3D_DESCRIPTOR *from) {
  if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaChannelFormatDesc channels = channels_of(from->Format, from->NumChannels);
  return through_runtime(Needs::context, [&] {
    return cudaMalloc3DArray(reinterpret_cast<cudaArray_t *>(to), &channels,
                             {from->Width, from->Height, from->Depth}, from->Flags);
  });
}
CUresult cuArrayDestroy(CUarray array) {
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return through_runtime(Needs::context, [&] { return cudaFreeArray(runtime_array(array)); });
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *to, CUarray array) {
  return describe(to, array);
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *to, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR solid;
  const CUresult result = describe(&solid, array);
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *to = {solid.Width, solid.Height, solid.Format, solid.NumChannels};
  return result;
}
CUresult cuMipmappedArrayCreate(CUmipmappedArray *to, const CUDA_ARRAY3D_DESCRIPTOR *from, unsigned levels) {
  if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaChannelFormatDesc channels = channels_of(from->Format, from->NumChannels);
  return through_runtime(Needs::context, [&] {
    return cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t *>(to), &channels,
                                    {from->Width, from->Height, from->Depth}, levels, from->Flags);
  });
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap) {
  return through_runtime(Needs::context, [&] { return cudaFreeMipmappedArray(runtime_mipmap(mipmap)); });
}
CUresult cuMipmappedArrayGetLevel(CUarray *to, CUmipmappedArray mipmap, unsigned level) {
  return through_runtime(Needs::context, [&] {
    return cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t *>(to), runtime_mipmap(mipmap), level);
  });
}

CUresult cuTexObjectCreate(CUtexObject *to, const CUDA_RESOURCE_DESC *from, const CUDA_TEXTURE_DESC *how,
                           const CUDA_RESOURCE_VIEW_DESC *view) {
  cudaResourceDesc resource;
  if (from == nullptr || how == nullptr || !read_resource(*from, resource)) return CUDA_ERROR_INVALID_VALUE;
  return through_runtime(Needs::context, [&] {
    const cudaTextureDesc texture = runtime_texture(*how, resource);
    cudaResourceViewDesc same;
    static_assert(sizeof same <= sizeof *view);
    if (view != nullptr) std::memcpy(&same, view, sizeof same);  // the same fields and numbers
    return cudaCreateTextureObject(to, &resource, &texture, view != nullptr ? &same : nullptr);
  });
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return through_runtime(Needs::context, [&] { return cudaDestroyTextureObject(object); });
}
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *to, CUtexObject object) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc known;
  const CUresult result =
      through_runtime(Needs::context, [&] { return cudaGetTextureObjectResourceDesc(&known, object); });
  if (result == CUDA_SUCCESS) *to = driver_resource(known);
  return result;
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *to, CUtexObject object) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaTextureDesc known;
  const CUresult result =
      through_runtime(Needs::context, [&] { return cudaGetTextureObjectTextureDesc(&known, object); });
  if (result == CUDA_SUCCESS) *to = driver_texture(known);
  return result;
}
CUresult cuSurfObjectCreate(CUsurfObject *to, const CUDA_RESOURCE_DESC *from) {
  cudaResourceDesc resource;
  if (from == nullptr || !read_resource(*from, resource)) return CUDA_ERROR_INVALID_VALUE;
  return through_runtime(Needs::context, [&] { return cudaCreateSurfaceObject(to, &resource); });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return through_runtime(Needs::context, [&] { return cudaDestroySurfaceObject(object); });
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *to, CUsurfObject object) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc known;
  const CUresult result =
      through_runtime(Needs::context, [&] { return cudaGetSurfaceObjectResourceDesc(&known, object); });
  if (result == CUDA_SUCCESS) *to = driver_resource(known);
  return result;
}

CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes) {
  return copy_row("cuMemcpyHtoA", {to, offset, bytes}, const_cast<void *>(from), cudaMemcpyHostToDevice, true,
                  true);
}
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes) {
  return copy_row("cuMemcpyAtoH", {from, offset, bytes}, to, cudaMemcpyDeviceToHost, false, true);
}
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  return copy_row("cuMemcpyDtoA", {to, offset, bytes}, pointer(from), cudaMemcpyDeviceToDevice, true, true);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  return copy_row("cuMemcpyAtoD", {from, offset, bytes}, pointer(to), cudaMemcpyDeviceToDevice, false, true);
}
CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream) {
  return copy_row("cuMemcpyHtoAAsync", {to, offset, bytes}, const_cast<void *>(from), cudaMemcpyHostToDevice,
                  true, false, stream);
}
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
  return copy_row("cuMemcpyAtoHAsync", {from, offset, bytes}, to, cudaMemcpyDeviceToHost, false, false,
                  stream);
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes) {
  constexpr const char *call = "cuMemcpyAtoA";
  return driver_call(call, Waits::yes, Needs::context, [&](Runtime &r) {
    Place target, source;
    cudaError_t error = place_in(r, {to, to_offset, bytes}, target);
    if (error == cudaSuccess) error = place_in(r, {from, from_offset, bytes}, source);
    return error == cudaSuccess ? copy(r, call, {target, source, {bytes, 1}, cudaMemcpyDeviceToDevice})
                                : error;
  });
}

}  // extern "C"
