// What only a device that runs at once can do: be reset; and pools, whose memory comes from the device,
// whatever the pool.
#include "cuda/simulate/runtime.hpp"

using namespace warpgrade::cuda;

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

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *) {
  return api("cudaMemPoolCreate", Waits::no, [&](Runtime &) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = static_cast<cudaMemPool_t>(pointer(2));
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t, cudaMemLocation *location) {
  return api("cudaMemPoolGetAccess", Waits::no, [&](Runtime &) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    const bool here = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}
// There is no pair of two devices.
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr, int, int) {
  return api("cudaDeviceGetP2PAttribute", Waits::no,
             [&](Runtime &) { return value == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice; });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
  return api("cudaMemPoolGetAttribute", Waits::no, [&](Runtime &r) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const bool highest =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    if (attribute >= cudaMemPoolAttrReleaseThreshold)
      *static_cast<std::uint64_t *>(value) = attribute == cudaMemPoolAttrReleaseThreshold ? 0
                                             : highest                                    ? r.pool_high_bytes
                                                                                          : r.pool_bytes;
    else
      *static_cast<int *>(value) = 1;
    return cudaSuccess;
  });
}

}  // extern "C"
