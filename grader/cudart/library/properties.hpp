// cudaDeviceProp as programs of either toolkit know it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstring>
#include <iterator>

#include "cudart/library/device_facts.hpp"

namespace warpgrade::cudart {

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

/// What both versions have.
template <class Properties>
void fill_properties(Properties &to) {
  const DeviceFacts &d = device_facts;
  std::memset(&to, 0, sizeof to);
  std::strncpy(to.name, d.name, sizeof to.name - 1);
  std::memcpy(&to.uuid, "warpgrade-simt-0", 16);
  to.totalGlobalMem = d.global_bytes;
  to.sharedMemPerBlock = d.shared_per_block;
  to.sharedMemPerBlockOptin = d.shared_per_block_optin;
  to.sharedMemPerMultiprocessor = d.shared_per_multiprocessor;
  to.reservedSharedMemPerBlock = d.reserved_shared_per_block;
  to.regsPerBlock = to.regsPerMultiprocessor = d.registers;
  to.warpSize = d.warp;
  to.memPitch = 0x7fffffff;
  to.maxThreadsPerBlock = d.threads_per_block;
  to.maxThreadsPerMultiProcessor = d.threads_per_multiprocessor;
  to.maxBlocksPerMultiProcessor = d.blocks_per_multiprocessor;
  const int block[] = {1024, 1024, 64}, grid[] = {0x7fffffff, 65535, 65535};
  std::copy(std::begin(block), std::end(block), to.maxThreadsDim);
  std::copy(std::begin(grid), std::end(grid), to.maxGridSize);
  to.totalConstMem = d.constant_bytes;
  to.major = d.major;
  to.minor = d.minor;
  to.multiProcessorCount = d.multiprocessors;
  to.l2CacheSize = d.l2_bytes;
  to.memoryBusWidth = d.memory_bus_bits;
  to.textureAlignment = to.surfaceAlignment = d.alignment;
  to.texturePitchAlignment = 32;
  to.concurrentKernels = to.asyncEngineCount = 1;
  to.unifiedAddressing = to.canMapHostMemory = to.managedMemory = to.concurrentManagedAccess = 1;
  to.hostRegisterSupported = to.canUseHostPointerForRegisteredMem = 1;
  to.streamPrioritiesSupported = to.memoryPoolsSupported = 1;
  if constexpr (requires { to.maxTexture3D; }) {  // the structure of CUDA 12 has them as one piece
    to.maxTexture1D = 131072;
    to.maxTexture2D[0] = to.maxSurface2D[0] = 131072;
    to.maxTexture2D[1] = to.maxSurface2D[1] = 65536;
    for (int i = 0; i < 3; ++i) to.maxTexture3D[i] = to.maxSurface3D[i] = 16384;
    to.maxTexture1DLayered[0] = to.maxTextureCubemap = to.maxSurface1D = 32768;
    to.maxTexture2DLayered[0] = to.maxTexture2DLayered[1] = 32768;
    to.maxTexture1DLayered[1] = to.maxTexture2DLayered[2] = 2048;
  }
  to.globalL1CacheSupported = to.localL1CacheSupported = to.cooperativeLaunch = 1;
}

}  // namespace warpgrade::cudart
