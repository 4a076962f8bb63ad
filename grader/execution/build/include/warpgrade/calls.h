// The runtime's functions for C++: with kernels of any type, and typed memory.
#pragma once

#include "cuda_runtime_api.h"

template <class T>
static inline cudaError_t cudaMalloc(T **memory, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(memory), bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch(reinterpret_cast<void **>(memory), pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **memory, size_t bytes,
                                            unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void **>(memory), bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned int flags = 0) {
  return cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned int flags) {
  return cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}

// A variable is named by itself or by its address.
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(static_cast<const void *>(&symbol), from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                                  size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync(static_cast<const void *>(&symbol), from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, static_cast<const void *>(&symbol), bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                                    size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(to, static_cast<const void *>(&symbol), bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  return cudaGetSymbolAddress(address, static_cast<const void *>(&symbol));
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  return cudaGetSymbolSize(bytes, static_cast<const void *>(&symbol));
}

// Kernels. The compiler itself calls cudaLaunchKernel for <<<>>> and finds it by name: no other function may
// have it.
template <class... P>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                           size_t shared = 0, cudaStream_t stream = 0) {
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, arguments, shared, stream);
}
template <class... P>
static inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                                      void **arguments, size_t shared = 0,
                                                      cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), grid, block, arguments, shared,
                                     stream);
}
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                             A &&...given) {
  return [&](P... converted) {
    void *arguments[] = {const_cast<void *>(static_cast<const volatile void *>(&converted))..., nullptr};
    return cudaLaunchKernelExC(config, reinterpret_cast<const void *>(kernel), arguments);
  }(static_cast<A &&>(given)...);
}
template <class... P>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
template <class... P>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*kernel)(P...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}
template <class... P>
static inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<const void *>(kernel), config);
}
template <class... P>
static inline cudaError_t cudaFuncSetSharedMemConfig(void (*kernel)(P...), cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(reinterpret_cast<const void *>(kernel), config);
}
template <class... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(P...),
                                                                        int block_threads,
                                                                        size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void *>(kernel),
                                                       block_threads, dynamic_shared);
}
template <class... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, void (*kernel)(P...), int block_threads, size_t dynamic_shared, unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, reinterpret_cast<const void *>(kernel), block_threads, dynamic_shared, flags);
}
template <class... P>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void (*kernel)(P...),
                                                                    int blocks, int block_threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<const void *>(kernel), blocks,
                                                   block_threads);
}
/// The block size with which most threads are at work on a multiprocessor, the largest of equals; and how
/// many blocks of that size it takes to keep the device busy.
template <class... P, class Shared>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block,
                                                                         void (*kernel)(P...),
                                                                         Shared shared_of,
                                                                         int most_threads = 0) {
  int device = 0, multiprocessors = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) return error;
  int most = attributes.maxThreadsPerBlock;
  if (most_threads > 0 && most_threads < most) most = most_threads;
  int best = 0;
  *grid = *block = 0;
  for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
    const int size = threads < most ? threads : most;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, shared_of(size));
    if (error != cudaSuccess) return error;
    if (blocks * size <= best) continue;
    best = blocks * size;
    *block = size;
    *grid = blocks * multiprocessors;
  }
  return cudaSuccess;
}
template <class... P>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, void (*kernel)(P...),
                                                             size_t dynamic_shared = 0,
                                                             int most_threads = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [=](int) { return dynamic_shared; }, most_threads);
}

/// The format of a texture of T.
template <class T>
static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(static_cast<int>(8 * sizeof(T)), 0, 0, 0, cudaChannelFormatKindFloat);
}
