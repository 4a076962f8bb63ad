// Questions about the device, answered from the request: the launcher is told of the GPU it will be replayed
// on.
#include <algorithm>
#include <cstring>

#include "record/runtime/api.hpp"

using namespace warpgrade;
using record::worker;

namespace {

constexpr int blocks_per_multiprocessor = 32;

const plan::DeviceProperties &device() {
  return worker().orders().request.device;
}

int integer(std::uint64_t number) {
  return static_cast<int>(std::min<std::uint64_t>(number, 0x7fffffff));
}

// How many blocks fit on one multiprocessor. Registers come in units of 256 per warp; a kernel whose
// registers are not known (no SASS was built) is taken to be limited by the rest only.
int active_blocks(const plan::KernelLayout &kernel, int block_threads, std::uint64_t dynamic_shared) {
  if (block_threads <= 0 || block_threads > device().max_threads_per_block) return 0;
  const int warps = (block_threads + 31) / 32;
  int blocks = std::min(blocks_per_multiprocessor, device().max_threads_per_multiprocessor / (warps * 32));
  if (kernel.registers != 0) {
    const std::uint32_t per_warp = (kernel.registers * 32 + 255) / 256 * 256;
    blocks = std::min(blocks, device().registers_per_multiprocessor / static_cast<int>(per_warp) / warps);
  }
  constexpr std::uint64_t reserved = 1024;  // per block, by the system, from compute capability 8.0 on
  const std::uint64_t shared = kernel.static_shared_bytes + dynamic_shared;
  if (shared > device().shared_bytes_per_block_optin) return 0;
  return std::min(blocks, integer(device().shared_bytes_per_multiprocessor / (shared + reserved)));
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *which) {
  *which = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int which) {
  return which == 0 ? cudaSuccess : record::fail(cudaErrorInvalidDevice);
}
cudaError_t cudaInitDevice(int which, unsigned, unsigned) {
  return cudaSetDevice(which);
}
cudaError_t cudaChooseDevice(int *which, const cudaDeviceProp *) {
  return cudaGetDevice(which);
}
cudaError_t cudaSetValidDevices(int *, int) {
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  *flags = 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  return cudaDriverGetVersion(version);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *to, int which) {
  if (to == nullptr) return record::fail(cudaErrorInvalidValue);
  if (which != 0) return record::fail(cudaErrorInvalidDevice);
  const plan::DeviceProperties &from = device();
  *to = {};
  from.name.copy(to->name, sizeof to->name - 1);
  to->major = from.major;
  to->minor = from.minor;
  to->totalGlobalMem = from.global_bytes;
  to->sharedMemPerBlock = from.shared_bytes_per_block;
  to->sharedMemPerBlockOptin = from.shared_bytes_per_block_optin;
  to->sharedMemPerMultiprocessor = from.shared_bytes_per_multiprocessor;
  to->reservedSharedMemPerBlock = 1024;
  to->regsPerBlock = from.registers_per_block;
  to->regsPerMultiprocessor = from.registers_per_multiprocessor;
  to->warpSize = 32;
  to->memPitch = 0x7fffffff;
  to->maxThreadsPerBlock = from.max_threads_per_block;
  to->maxThreadsPerMultiProcessor = from.max_threads_per_multiprocessor;
  to->maxBlocksPerMultiProcessor = blocks_per_multiprocessor;
  const int block[] = {1024, 1024, 64}, grid[] = {0x7fffffff, 65535, 65535};
  std::copy(std::begin(block), std::end(block), to->maxThreadsDim);
  std::copy(std::begin(grid), std::end(grid), to->maxGridSize);
  to->totalConstMem = from.constant_bytes;
  to->multiProcessorCount = from.multiprocessors;
  to->l2CacheSize = from.l2_bytes;
  to->memoryBusWidth = from.memory_bus_bits;
  to->textureAlignment = 512;
  to->texturePitchAlignment = 32;
  to->surfaceAlignment = 512;
  to->concurrentKernels = 1;
  to->asyncEngineCount = 1;
  to->unifiedAddressing = 1;
  to->globalL1CacheSupported = to->localL1CacheSupported = 1;
  to->streamPrioritiesSupported = 1;
  to->memoryPoolsSupported = 1;
#if CUDART_VERSION < 13000
  to->clockRate = from.clock_khz;
  to->memoryClockRate = from.memory_clock_khz;
  to->deviceOverlap = 1;
#endif
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int which) {
  if (value == nullptr) return record::fail(cudaErrorInvalidValue);
  if (which != 0) return record::fail(cudaErrorInvalidDevice);
  const plan::DeviceProperties &d = device();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = d.max_threads_per_block;
      break;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      *value = 1024;
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = 64;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = 0x7fffffff;
      break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      *value = 65535;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = integer(d.shared_bytes_per_block);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = integer(d.shared_bytes_per_block_optin);
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = integer(d.shared_bytes_per_multiprocessor);
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrTotalConstantMemory:
      *value = integer(d.constant_bytes);
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrMaxPitch:
      *value = 0x7fffffff;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = d.registers_per_block;
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = d.registers_per_multiprocessor;
      break;
    case cudaDevAttrClockRate:
      *value = d.clock_khz;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = d.memory_clock_khz;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = d.memory_bus_bits;
      break;
    case cudaDevAttrL2CacheSize:
      *value = d.l2_bytes;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = d.multiprocessors;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = d.max_threads_per_multiprocessor;
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = blocks_per_multiprocessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = d.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = d.minor;
      break;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
      *value = 512;
      break;
    case cudaDevAttrTexturePitchAlignment:
      *value = 32;
      break;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrMemoryPoolsSupported:
      *value = 1;
      break;
    default:
      *value = 0;  // what a plan cannot hold (managed memory, cooperative launches, peers) is not there
  }
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int block_threads, size_t dynamic_shared,
                                                                   unsigned) {
  const record::Kernel *kernel = worker().find_kernel(function);
  const plan::KernelLayout *layout = kernel == nullptr ? nullptr : worker().layout_of(*kernel);
  if (layout == nullptr) return record::fail(cudaErrorInvalidDeviceFunction);
  *blocks = active_blocks(*layout, block_threads, dynamic_shared);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_threads, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads,
                                                                dynamic_shared, 0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int) {
  const record::Kernel *kernel = worker().find_kernel(function);
  const plan::KernelLayout *layout = kernel == nullptr ? nullptr : worker().layout_of(*kernel);
  if (layout == nullptr) return record::fail(cudaErrorInvalidDeviceFunction);
  if (blocks <= 0) return record::fail(cudaErrorInvalidValue);
  const std::uint64_t share = device().shared_bytes_per_multiprocessor / static_cast<unsigned>(blocks);
  const std::uint64_t used = layout->static_shared_bytes + 1024;
  *bytes = share > used ? std::min(share - used, device().shared_bytes_per_block_optin) : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize ? 1024 : limit == cudaLimitPrintfFifoSize ? 1 << 20 : 0;
  return cudaSuccess;
}
// Accepted without effect: they tune, or size what the replay sizes itself.
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
  *pool = reinterpret_cast<cudaMemPool_t>(1);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int which) {
  return cudaDeviceGetDefaultMemPool(pool, which);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  return cudaSuccess;
}

}  // extern "C"
