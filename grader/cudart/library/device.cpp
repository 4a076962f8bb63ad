// Questions about the device. There is one, and it is always ready.
#include <algorithm>
#include <cstdio>

#include "cudart/library/properties.hpp"
#include "cudart/library/runtime.hpp"

namespace warpgrade::cudart {
namespace {

template <class Value>
cudaError_t answer(const char *call, Value *to, Value value) {
  return api(call, Waits::no, [&](Runtime &) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
  });
}

cudaError_t device_number(const char *call, int which) {
  return api(call, Waits::no, [&](Runtime &) { return which == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

int attribute_value(int attribute) {
  const DeviceFacts &d = device_facts;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return d.threads_per_block;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxPitch:
      return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(d.shared_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(d.shared_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(d.shared_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(d.reserved_shared_per_block);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(d.constant_bytes);
    case cudaDevAttrWarpSize:
      return d.warp;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return d.registers;
    case cudaDevAttrClockRate:
      return d.clock_khz;
    case cudaDevAttrMemoryClockRate:
      return d.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return d.memory_bus_bits;
    case cudaDevAttrL2CacheSize:
      return d.l2_bytes;
    case cudaDevAttrMultiProcessorCount:
      return d.multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return d.threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return d.blocks_per_multiprocessor;
    case cudaDevAttrComputeCapabilityMajor:
      return d.major;
    case cudaDevAttrComputeCapabilityMinor:
      return d.minor;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
      return static_cast<int>(d.alignment);
    case cudaDevAttrTexturePitchAlignment:
      return 32;
    case cudaDevAttrMaxTexture1DWidth:
    case cudaDevAttrMaxTexture2DWidth:
    case cudaDevAttrMaxSurface2DWidth:
      return 131072;
    case cudaDevAttrMaxTexture2DHeight:
    case cudaDevAttrMaxSurface2DHeight:
      return 65536;
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight:
    case cudaDevAttrMaxTextureCubemapWidth:
    case cudaDevAttrMaxSurface1DWidth:
      return 32768;
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth:
    case cudaDevAttrMaxSurface3DWidth:
    case cudaDevAttrMaxSurface3DHeight:
    case cudaDevAttrMaxSurface3DDepth:
      return 16384;
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxTexture2DLayeredLayers:
      return 2048;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCooperativeLaunch:
      return 1;
    default:
      return 0;  // what is not there: peers, clusters
  }
}

constexpr int most_attributes = 200;

}  // namespace
}  // namespace warpgrade::cudart

using namespace warpgrade::cudart;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  return answer("cudaGetDeviceCount", count, 1);
}
cudaError_t cudaGetDevice(int *which) {
  return answer("cudaGetDevice", which, 0);
}
cudaError_t cudaSetDevice(int which) {
  return device_number("cudaSetDevice", which);
}
cudaError_t cudaInitDevice(int which, unsigned, unsigned) {
  return device_number("cudaInitDevice", which);
}
cudaError_t cudaChooseDevice(int *which, const cudaDeviceProp *) {
  return answer("cudaChooseDevice", which, 0);
}
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return answer("cudaGetDeviceFlags", flags, 0u);
}
cudaError_t cudaDriverGetVersion(int *version) {
  return answer("cudaDriverGetVersion", version, static_cast<int>(CUDART_VERSION));
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  return answer("cudaRuntimeGetVersion", version, static_cast<int>(CUDART_VERSION));
}

// With the headers of CUDA 12 this name is a macro for cudaGetDeviceProperties_v2.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *to, int which) {
  return api("cudaGetDeviceProperties", Waits::no, [&](Runtime &) {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (which != 0) return cudaErrorInvalidDevice;
    fill_properties(*to);
    return cudaSuccess;
  });
}
#if CUDART_VERSION >= 13000
cudaError_t cudaGetDeviceProperties_v2(void *given, int which) {
  return api("cudaGetDeviceProperties", Waits::no, [&](Runtime &) {
    if (given == nullptr) return cudaErrorInvalidValue;
    if (which != 0) return cudaErrorInvalidDevice;
    auto *const to = static_cast<Properties12 *>(given);
    fill_properties(*to);
    to->clockRate = device_facts.clock_khz;
    to->memoryClockRate = device_facts.memory_clock_khz;
    to->deviceOverlap = 1;
    return cudaSuccess;
  });
}
#endif

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int which) {
  return api("cudaDeviceGetAttribute", Waits::no, [&](Runtime &) {
    const int known = static_cast<int>(attribute);
    if (value == nullptr || known <= 0 || known > most_attributes) return cudaErrorInvalidValue;
    if (which != 0) return cudaErrorInvalidDevice;
    *value = attribute_value(known);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *to, int bytes, int which) {
  return api("cudaDeviceGetPCIBusId", Waits::no, [&](Runtime &) {
    if (to == nullptr || bytes <= 0) return cudaErrorInvalidValue;
    if (which != 0) return cudaErrorInvalidDevice;
    std::snprintf(to, static_cast<std::size_t>(bytes), "0000:00:00.0");
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int *which, const char *) {
  return answer("cudaDeviceGetByPCIBusId", which, 0);
}

cudaError_t cudaDeviceSynchronize() {
  return api("cudaDeviceSynchronize", Waits::yes, [](Runtime &) { return cudaSuccess; });
}
cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
cudaError_t cudaDeviceReset() {
  return api("cudaDeviceReset", Waits::yes, [](Runtime &r) {
    r.reset();
    return cudaSuccess;
  });
}
cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}

// Limits are remembered; that of the heap holds, while what the others bound has no bound here, or the
// simulator's own.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api("cudaDeviceSetLimit", Waits::no, [&](Runtime &r) {
    const auto known = r.limits.find(limit);
    if (known == r.limits.end()) return cudaErrorUnsupportedLimit;
    known->second = value;
    if (limit == cudaLimitMallocHeapSize) r.device->set_heap_limit(value);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return api("cudaDeviceGetLimit", Waits::no, [&](Runtime &r) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const auto known = r.limits.find(limit);
    if (known == r.limits.end()) return cudaErrorUnsupportedLimit;
    *value = known->second;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return answer("cudaDeviceGetCacheConfig", config, cudaFuncCachePreferNone);
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return answer("cudaDeviceGetSharedMemConfig", config, cudaSharedMemBankSizeFourByte);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return api("cudaDeviceGetStreamPriorityRange", Waits::no, [&](Runtime &) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) {
  return answer("cudaDeviceCanAccessPeer", can, 0);
}

cudaError_t cudaStreamGetDevice(cudaStream_t, int *which) {
  return answer("cudaStreamGetDevice", which, 0);
}
// No question to the device: it gives its arguments back.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// Pools: memory comes from the device, whatever the pool.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
  return answer("cudaDeviceGetDefaultMemPool", pool, static_cast<cudaMemPool_t>(pointer(1)));
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int) {
  return answer("cudaDeviceGetMemPool", pool, static_cast<cudaMemPool_t>(pointer(1)));
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *) {
  return answer("cudaMemPoolCreate", pool, static_cast<cudaMemPool_t>(pointer(2)));
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
  return api("cudaMemPoolGetAttribute", Waits::no, [&](Runtime &r) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (attribute >= cudaMemPoolAttrReleaseThreshold)
      *static_cast<std::uint64_t *>(value) = attribute == cudaMemPoolAttrReleaseThreshold ? 0 : r.used_bytes;
    else
      *static_cast<int *>(value) = 1;
    return cudaSuccess;
  });
}

extern decltype(cudaStreamGetDevice) cudaStreamGetDevice_ptsz __attribute__((alias("cudaStreamGetDevice")));

}  // extern "C"
