// Questions about devices, which are alike and always ready.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include "runtime/attributes.hpp"
#include "runtime/backend.hpp"

namespace warpgrade::cuda {
namespace {

/// `value` may be a function, which is called once the call has been let in.
template <class Value, class Answer>
cudaError_t answer(const char *call, Value *to, const Answer &value) {
  return backend::enter(call, Waits::no, [&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    if constexpr (requires { value(); })
      *to = value();
    else
      *to = value;
    return cudaSuccess;
  });
}

bool exists(int which) {
  return which >= 0 && which < backend::device_count();
}

cudaError_t device_number(const char *call, int which) {
  return backend::enter(call, Waits::no,
                        [&] { return exists(which) ? cudaSuccess : cudaErrorInvalidDevice; });
}

std::string bus_of(int which) {
  char text[16];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(which));
  return text;
}

cudaError_t default_pool(const char *call, cudaMemPool_t *pool, int which) {
  return backend::enter(call, Waits::no, [&] {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!exists(which)) return cudaErrorInvalidDevice;
    *pool = static_cast<cudaMemPool_t>(pointer(1 + static_cast<std::uint64_t>(which)));
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
/// The structure of CUDA 12 (cudaGetDeviceProperties_v2), of which CUDA 13 dropped eight fields: an object of
/// CUDA 12 brings room for this one.
struct Properties12 {
  char name[256];
  char uuid[16], luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int textures[40];  // limits of textures and surfaces
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess;
  int computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63];
};
static_assert(sizeof(Properties12) == 1032);
#endif

/// The headers differ in what the structure has: each fills what is there.
#define WARPGRADE_FILL(field, ...) \
  if constexpr (requires { to.field; }) to.field = __VA_ARGS__

template <class Properties>
void fill(Properties &to, int ordinal) {
  const Device &device = backend::device();
  const ptx::DeviceProperties &figures = device.figures;
  const auto a = [&](cudaDeviceAttr which) { return attribute(device, which).value_or(0); };
  const auto bytes = [&](cudaDeviceAttr which) { return static_cast<size_t>(a(which)); };
  std::memset(&to, 0, sizeof to);
  figures.name.copy(to.name, sizeof to.name - 1);
  if constexpr (requires { to.uuid; })
    std::memcpy(&to.uuid, ("warpgrade-simt-" + std::string(1, "0123456789abcdef"[ordinal & 15])).c_str(), 16);
  to.pciBusID = ordinal;
  to.totalGlobalMem = figures.global_bytes;
  to.sharedMemPerBlock = bytes(cudaDevAttrMaxSharedMemoryPerBlock);
  to.sharedMemPerBlockOptin = bytes(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  to.sharedMemPerMultiprocessor = bytes(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  to.reservedSharedMemPerBlock = bytes(cudaDevAttrReservedSharedMemoryPerBlock);
  to.regsPerBlock = a(cudaDevAttrMaxRegistersPerBlock);
  to.regsPerMultiprocessor = a(cudaDevAttrMaxRegistersPerMultiprocessor);
  to.warpSize = a(cudaDevAttrWarpSize);
  to.memPitch = bytes(cudaDevAttrMaxPitch);
  to.maxThreadsPerBlock = a(cudaDevAttrMaxThreadsPerBlock);
  to.maxThreadsPerMultiProcessor = a(cudaDevAttrMaxThreadsPerMultiProcessor);
  to.maxBlocksPerMultiProcessor = a(cudaDevAttrMaxBlocksPerMultiprocessor);
  for (int i = 0; i < 3; ++i) {
    to.maxThreadsDim[i] = a(static_cast<cudaDeviceAttr>(cudaDevAttrMaxBlockDimX + i));
    to.maxGridSize[i] = a(static_cast<cudaDeviceAttr>(cudaDevAttrMaxGridDimX + i));
  }
  to.totalConstMem = bytes(cudaDevAttrTotalConstantMemory);
  to.major = a(cudaDevAttrComputeCapabilityMajor);
  to.minor = a(cudaDevAttrComputeCapabilityMinor);
  to.multiProcessorCount = a(cudaDevAttrMultiProcessorCount);
  to.l2CacheSize = a(cudaDevAttrL2CacheSize);
  to.memoryBusWidth = a(cudaDevAttrGlobalMemoryBusWidth);
  to.textureAlignment = bytes(cudaDevAttrTextureAlignment);
  to.surfaceAlignment = bytes(cudaDevAttrSurfaceAlignment);
  to.texturePitchAlignment = bytes(cudaDevAttrTexturePitchAlignment);
  to.concurrentKernels = a(cudaDevAttrConcurrentKernels);
  to.asyncEngineCount = a(cudaDevAttrAsyncEngineCount);
  to.unifiedAddressing = a(cudaDevAttrUnifiedAddressing);
  to.canMapHostMemory = a(cudaDevAttrCanMapHostMemory);
  to.managedMemory = a(cudaDevAttrManagedMemory);
  to.concurrentManagedAccess = a(cudaDevAttrConcurrentManagedAccess);
  to.streamPrioritiesSupported = a(cudaDevAttrStreamPrioritiesSupported);
  to.memoryPoolsSupported = a(cudaDevAttrMemoryPoolsSupported);
  to.globalL1CacheSupported = a(cudaDevAttrGlobalL1CacheSupported);
  to.localL1CacheSupported = a(cudaDevAttrLocalL1CacheSupported);
  to.cooperativeLaunch = a(cudaDevAttrCooperativeLaunch);
  WARPGRADE_FILL(hostRegisterSupported, a(cudaDevAttrHostRegisterSupported));
  WARPGRADE_FILL(canUseHostPointerForRegisteredMem, a(cudaDevAttrCanUseHostPointerForRegisteredMem));
  WARPGRADE_FILL(clockRate, a(cudaDevAttrClockRate));
  WARPGRADE_FILL(memoryClockRate, a(cudaDevAttrMemoryClockRate));
  WARPGRADE_FILL(deviceOverlap, a(cudaDevAttrGpuOverlap));
  if constexpr (requires { to.maxTexture3D; }) {  // the structure of CUDA 12 above has them as one piece
    to.maxTexture1D = a(cudaDevAttrMaxTexture1DWidth);
    to.maxTexture2D[0] = a(cudaDevAttrMaxTexture2DWidth);
    to.maxTexture2D[1] = a(cudaDevAttrMaxTexture2DHeight);
    to.maxSurface2D[0] = a(cudaDevAttrMaxSurface2DWidth);
    to.maxSurface2D[1] = a(cudaDevAttrMaxSurface2DHeight);
    for (int i = 0; i < 3; ++i) {
      to.maxTexture3D[i] = a(static_cast<cudaDeviceAttr>(cudaDevAttrMaxTexture3DWidth + i));
      to.maxSurface3D[i] = a(static_cast<cudaDeviceAttr>(cudaDevAttrMaxSurface3DWidth + i));
      to.maxTexture2DLayered[i] = a(static_cast<cudaDeviceAttr>(cudaDevAttrMaxTexture2DLayeredWidth + i));
    }
    to.maxTexture1DLayered[0] = a(cudaDevAttrMaxTexture1DLayeredWidth);
    to.maxTexture1DLayered[1] = a(cudaDevAttrMaxTexture1DLayeredLayers);
    to.maxTextureCubemap = a(cudaDevAttrMaxTextureCubemapWidth);
    to.maxSurface1D = a(cudaDevAttrMaxSurface1DWidth);
  }
}

template <class Properties>
cudaError_t properties(Properties *to, int which) {
  return backend::enter("cudaGetDeviceProperties", Waits::no, [&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (!exists(which)) return cudaErrorInvalidDevice;
    fill(*to, which);
    return cudaSuccess;
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  return answer("cudaGetDeviceCount", count, [] { return backend::device_count(); });
}
cudaError_t cudaGetDevice(int *which) {
  return answer("cudaGetDevice", which, [] { return backend::device().number; });
}
cudaError_t cudaSetDevice(int which) {
  return backend::enter("cudaSetDevice", Waits::no, [&] {
    if (!exists(which)) return cudaErrorInvalidDevice;
    backend::set_device(which);
    return cudaSuccess;
  });
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
  return properties(to, which);
}
#if CUDART_VERSION >= 13000
cudaError_t cudaGetDeviceProperties_v2(void *to, int which) {
  return properties(static_cast<Properties12 *>(to), which);
}
#endif

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device) {
  return backend::enter("cudaDeviceGetAttribute", Waits::no, [&] {
    const std::optional<int> known = attribute(backend::device(), static_cast<int>(which));
    if (value == nullptr || !known) return cudaErrorInvalidValue;
    if (!exists(device)) return cudaErrorInvalidDevice;
    *value = static_cast<int>(which) == cudaDevAttrPciBusId ? device : *known;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *to, int bytes, int which) {
  return backend::enter("cudaDeviceGetPCIBusId", Waits::no, [&] {
    if (to == nullptr || bytes <= 0) return cudaErrorInvalidValue;
    if (!exists(which)) return cudaErrorInvalidDevice;
    std::snprintf(to, static_cast<std::size_t>(bytes), "%s", bus_of(which).c_str());
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int *which, const char *bus) {
  return backend::enter("cudaDeviceGetByPCIBusId", Waits::no, [&] {
    if (which == nullptr || bus == nullptr) return cudaErrorInvalidValue;
    for (*which = 0; *which < backend::device_count(); ++*which)
      if (backend::device_count() == 1 || bus == bus_of(*which)) return cudaSuccess;
    return cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return backend::enter("cudaDeviceSynchronize", Waits::yes, [] { return cudaSuccess; });
}
cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}

// Limits are remembered. The simulator heeds that of the heap; the others bound nothing.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return backend::enter("cudaDeviceSetLimit", Waits::no, [&] {
    auto &limits = backend::state().limits_of(backend::device().number);
    const auto known = limits.find(limit);
    if (known == limits.end()) return cudaErrorInvalidValue;
    known->second = value;
    backend::limit_changed(limit, value);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return backend::enter("cudaDeviceGetLimit", Waits::no, [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    const auto &limits = backend::state().limits_of(backend::device().number);
    const auto known = limits.find(limit);
    if (known == limits.end()) return cudaErrorInvalidValue;
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
  return backend::enter("cudaDeviceGetStreamPriorityRange", Waits::no, [&] {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other) {
  return backend::enter("cudaDeviceCanAccessPeer", Waits::no, [&] {
    if (can == nullptr) return cudaErrorInvalidValue;
    *can = 0;
    if (backend::device_count() == 1) return cudaSuccess;
    if (!exists(device) || !exists(other)) return cudaErrorInvalidDevice;
    *can = device != other;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *which) {
  return answer("cudaStreamGetDevice", which,
                [&] { return backend::state().device_of(stream, backend::device().number); });
}

// Pools: memory comes from the device, whatever the pool.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int which) {
  return default_pool("cudaDeviceGetDefaultMemPool", pool, which);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int which) {
  return default_pool("cudaDeviceGetMemPool", pool, which);
}

WARPGRADE_ALSO(cudaStreamGetDevice, _ptsz);

}  // extern "C"
