// What only a device that runs at once can do: be reset; and pools, whose memory comes from the device,
// whatever the pool.
#include "runtime/simulate/devices.hpp"
#include "runtime/simulate/runtime.hpp"

using namespace warpgrade::cuda;

namespace {

bool is_attribute(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolAttrUsedMemHigh;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceReset() {
  return api("cudaDeviceReset", Waits::yes, [](Runtime &r) {
    r.reset();
    return cudaSuccess;
  });
}
cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}

// No question to the device: it gives its arguments back.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  return api("cudaMemPoolCreate", Waits::no, [&](Runtime &r) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = static_cast<cudaMemPool_t>(pointer(++r.next_handle));
    if (properties != nullptr && properties->location.type == cudaMemLocationTypeDevice &&
        r.has_device(properties->location.id))
      r.pools[*pool].device = properties->location.id;
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool, cudaMemLocation *location) {
  return api("cudaMemPoolGetAccess", Waits::no, [&](Runtime &r) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    const bool here = location->type == cudaMemLocationTypeDevice && r.has_device(location->id) &&
                      r.may_access(location->id, device_of_pool(r, pool));
    *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  return api("cudaMemPoolGetAttribute", Waits::no, [&](Runtime &r) {
    const Pool &settings = r.pools[pool];
    const Runtime::Usage &usage = r.usage[device_of_pool(r, pool)];
    if (value == nullptr || !is_attribute(attribute)) return cudaErrorInvalidValue;
    if (attribute < cudaMemPoolAttrReleaseThreshold) {
      *static_cast<int *>(value) = settings.reuse[attribute];
      return cudaSuccess;
    }
    const bool highest =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    *static_cast<std::uint64_t *>(value) = attribute == cudaMemPoolAttrReleaseThreshold ? settings.threshold
                                           : highest ? usage.pool_high_bytes
                                                     : usage.pool_bytes;
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  return api("cudaMemPoolSetAttribute", Waits::no, [&](Runtime &r) {
    Pool &settings = r.pools[pool];
    if (value == nullptr || !is_attribute(attribute)) return cudaErrorInvalidValue;
    if (attribute < cudaMemPoolAttrReleaseThreshold) {
      settings.reuse[attribute] = *static_cast<const int *>(value) != 0;
      return cudaSuccess;
    }
    const std::uint64_t bytes = *static_cast<const std::uint64_t *>(value);
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      settings.threshold = bytes;
      return cudaSuccess;
    }
    const bool highest =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    if (!highest || bytes != 0) return cudaErrorInvalidValue;  // a program may only reset it
    Runtime::Usage &usage = r.usage[device_of_pool(r, pool)];
    usage.pool_high_bytes = usage.pool_bytes;
    return cudaSuccess;
  });
}

}  // extern "C"
