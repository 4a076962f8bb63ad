// Texture and surface objects: from what a program describes to what the simulator reads through.
#include <array>

#include "runtime/attributes.hpp"
#include "runtime/simulate/arrays.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

simt::AddressMode mode_of(cudaTextureAddressMode mode) {
  using enum simt::AddressMode;
  constexpr std::array modes{wrap, clamp, mirror, border};
  static_assert(cudaAddressModeWrap == 0 && cudaAddressModeClamp == 1 && cudaAddressModeMirror == 2 &&
                cudaAddressModeBorder == 3);
  const auto index = static_cast<std::size_t>(mode);
  return index < modes.size() ? modes[index] : clamp;
}

/// Memory that a texture reads without an array.
cudaError_t image_of(Runtime &r, const cudaResourceDesc &from, simt::Image &to) {
  const bool linear = from.resType == cudaResourceTypeLinear;
  const cudaChannelFormatDesc &channels = linear ? from.res.linear.desc : from.res.pitch2D.desc;
  if (!read_format(channels, to.format)) return cudaErrorInvalidChannelDescriptor;
  const void *memory = linear ? from.res.linear.devPtr : from.res.pitch2D.devPtr;
  const Block *block = r.blocks.at(number(memory));
  if (memory == nullptr || block == nullptr || !block->live) return cudaErrorInvalidValue;
  if (number(memory) % (linear ? to.format.bytes() : memory_alignment) != 0) return cudaErrorInvalidValue;
  to.address = number(memory);
  if (linear) {
    to.width = from.res.linear.sizeInBytes / to.format.bytes();
    to.pitch = to.slice = from.res.linear.sizeInBytes;
    return to.width == 0 ? cudaErrorInvalidValue : cudaSuccess;
  }
  to.width = from.res.pitch2D.width;
  to.height = from.res.pitch2D.height;
  to.pitch = from.res.pitch2D.pitchInBytes;
  to.slice = to.pitch * to.height;
  constexpr std::size_t pitch_alignment = 32;
  const bool fits = to.pitch >= to.width * to.format.bytes() && to.pitch % pitch_alignment == 0;
  return to.width == 0 || to.height == 0 || !fits ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t images_of(Runtime &r, const cudaResourceDesc &from, std::vector<simt::Image> &to) {
  switch (from.resType) {
    case cudaResourceTypeArray: {
      const Array *array = find_array(r, from.res.array.array);
      if (array == nullptr) return cudaErrorInvalidResourceHandle;
      to = {array->image};
      return cudaSuccess;
    }
    case cudaResourceTypeMipmappedArray: {
      const auto found = r.mipmaps.find(from.res.mipmap.mipmap);
      if (found == r.mipmaps.end()) return cudaErrorInvalidResourceHandle;
      for (const auto &level : found->second->levels) to.push_back(level->image);
      return cudaSuccess;
    }
    default:
      to.resize(1);
      return image_of(r, from, to[0]);
  }
}

cudaError_t make_texture(Runtime &r, const cudaResourceDesc &resource, const cudaTextureDesc &how,
                         simt::Texture &to) {
  if (const cudaError_t error = images_of(r, resource, to.levels); error != cudaSuccess) return error;
  const simt::TexelFormat &format = to.levels[0].format;
  for (std::size_t d = 0; d < 3; ++d) to.modes[d] = mode_of(how.addressMode[d]);
  to.linear = how.filterMode == cudaFilterModeLinear;
  to.level_linear = how.mipmapFilterMode == cudaFilterModeLinear;
  to.normalized = how.normalizedCoords != 0;
  const bool integer = format.kind != simt::TexelFormat::Kind::floating;
  to.as_float = integer && how.readMode == cudaReadModeNormalizedFloat;
  if (to.as_float && format.bits == 32) return cudaErrorInvalidNormSetting;
  if (to.linear && integer && !to.as_float) return cudaErrorInvalidFilterSetting;
  if (to.levels.size() > 1 && !to.normalized) return cudaErrorInvalidValue;
  to.bias = how.mipmapLevelBias;
  to.least_level = how.minMipmapLevelClamp;
  to.most_level = how.maxMipmapLevelClamp;
  for (std::size_t c = 0; c < 4; ++c) to.border[c] = how.borderColor[c];
  return cudaSuccess;
}

cudaError_t create_texture(Runtime &r, cudaTextureObject_t *to, const cudaResourceDesc *resource,
                           const cudaTextureDesc *how, const cudaResourceViewDesc *view) {
  if (to == nullptr || resource == nullptr || how == nullptr) return cudaErrorInvalidValue;
  if (how->sRGB != 0 || (view != nullptr && view->format != cudaResViewFormatNone)) {
    r.not_supported("cudaCreateTextureObject",
                    how->sRGB != 0 ? "sRGB textures" : "views with another format");
    return cudaErrorNotSupported;
  }
  simt::Texture texture;
  if (const cudaError_t error = make_texture(r, *resource, *how, texture); error != cudaSuccess) return error;
  *to = r.device->add_texture(std::move(texture));
  r.textures[*to] = {*resource, *how, view != nullptr ? *view : cudaResourceViewDesc{}};
  return cudaSuccess;
}

template <class Body>
cudaError_t with_object(const char *call, unsigned long long object, const Body &body) {
  return api(call, Waits::no, [&](Runtime &r) {
    const auto found = r.textures.find(object);
    return found == r.textures.end() ? cudaErrorInvalidValue : body(r, found->second);
  });
}

template <class Part, class Value>
cudaError_t tell(const char *call, unsigned long long object, Part TextureObject::*part, Value *to) {
  return with_object(call, object, [&](Runtime &, const TextureObject &known) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = known.*part;
    return cudaSuccess;
  });
}

cudaError_t destroy(const char *call, unsigned long long object) {
  return with_object(call, object, [&](Runtime &r, const TextureObject &) {
    r.devices[object >> 32]->remove_texture(object);  // its device is in its number
    r.textures.erase(object);
    return cudaSuccess;
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *to, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *how, const cudaResourceViewDesc *view) {
  return api("cudaCreateTextureObject", Waits::no,
             [&](Runtime &r) { return create_texture(r, to, resource, how, view); });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return object == 0 ? cudaSuccess : destroy("cudaDestroyTextureObject", object);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *to, cudaTextureObject_t object) {
  return tell("cudaGetTextureObjectResourceDesc", object, &TextureObject::resource, to);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *to, cudaTextureObject_t object) {
  return tell("cudaGetTextureObjectTextureDesc", object, &TextureObject::how, to);
}
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *to, cudaTextureObject_t object) {
  return tell("cudaGetTextureObjectResourceViewDesc", object, &TextureObject::view, to);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *to, const cudaResourceDesc *resource) {
  return api("cudaCreateSurfaceObject", Waits::no, [&](Runtime &r) {
    if (to == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    const Array *array = find_array(r, resource->res.array.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if ((array->flags & cudaArraySurfaceLoadStore) == 0) {
      r.mistake("cudaCreateSurfaceObject", "invalid_array",
                "the array was made without cudaArraySurfaceLoadStore, so no surface can be made of it");
      return cudaErrorInvalidValue;
    }
    warpgrade::simt::Texture surface;
    surface.levels = {array->image};
    *to = r.device->add_texture(std::move(surface));
    r.textures[*to] = {*resource, {}, {}};
    return cudaSuccess;
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return object == 0 ? cudaSuccess : destroy("cudaDestroySurfaceObject", object);
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *to, cudaSurfaceObject_t object) {
  return tell("cudaGetSurfaceObjectResourceDesc", object, &TextureObject::resource, to);
}
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const cudaChannelFormatDesc *, int) {
  return api("cudaDeviceGetTexture1DLinearMaxWidth", Waits::no, [&](Runtime &) {
    if (width == nullptr) return cudaErrorInvalidValue;
    *width = size_t{1} << 28;
    return cudaSuccess;
  });
}

}  // extern "C"
