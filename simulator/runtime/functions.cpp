// Questions about kernels: attributes and occupancy.
#include "runtime/attributes.hpp"
#include "runtime/launch.hpp"

namespace warpgrade::cuda {
namespace {

/// Runs `body` with a kernel whose layout is known.
template <class Body>
cudaError_t with_kernel(const char *call, const void *function, const Body &body) {
  return backend::enter(call, Waits::no, [&] {
    Kernel *kernel = nullptr;
    if (const cudaError_t error = find_kernel(call, function, kernel); error != cudaSuccess) return error;
    return body(*kernel);
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *to, const void *function) {
  return with_kernel("cudaFuncGetAttributes", function, [&](const Kernel &kernel) {
    if (to == nullptr) return cudaErrorInvalidValue;
    const Device &device = backend::device();
    *to = {};
    to->sharedSizeBytes = kernel.layout->static_shared_bytes;
    to->localSizeBytes = kernel.layout->local_bytes;
    to->maxThreadsPerBlock = max_threads_of(device, kernel);
    to->numRegs = static_cast<int>(registers_of(kernel));
    // Libraries choose their tuning by this: what their device code was compiled for.
    to->ptxVersion = backend::ptx_version(kernel);
    to->binaryVersion = device.figures.major * 10 + device.figures.minor;
    to->maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared_of(device, kernel));
    to->preferredShmemCarveout = kernel.on(device.number).carveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  constexpr const char *call = "cudaFuncSetAttribute";
  return with_kernel(call, function, [&](Kernel &kernel) {
    KernelSettings &settings = kernel.on(backend::device().number);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      const std::uint64_t most = backend::device().figures.shared_bytes_per_block_optin;
      if (value < 0 || static_cast<std::uint64_t>(value) + kernel.layout->static_shared_bytes > most)
        return cudaErrorInvalidValue;
      settings.max_dynamic_shared = value;
    } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      settings.carveout = value;
    } else if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed && backend::device().clusters) {
      if (value != 0 && value != 1) return cudaErrorInvalidValue;
      settings.large_clusters = value != 0;
    } else {
      return backend::set_attribute(call, attribute);
    }
    return backend::attribute_changed(call, kernel, attribute, value);
  });
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  return with_kernel("cudaFuncGetName", function, [&](const Kernel &kernel) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = kernel.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
  return with_kernel("cudaFuncGetParamInfo", function, [&](const Kernel &kernel) {
    if (index >= kernel.layout->parameters.size()) return cudaErrorInvalidValue;
    if (offset != nullptr) *offset = kernel.layout->parameters[index].offset;
    if (size != nullptr) *size = kernel.layout->parameters[index].size;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int block_threads, size_t dynamic_shared,
                                                                   unsigned) {
  return with_kernel("cudaOccupancyMaxActiveBlocksPerMultiprocessor", function, [&](const Kernel &kernel) {
    if (blocks == nullptr || block_threads <= 0) return cudaErrorInvalidValue;
    *blocks = active_blocks(backend::device(), kernel, block_threads, dynamic_shared);
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_threads, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads,
                                                                dynamic_shared, 0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                                      int block_threads) {
  return with_kernel("cudaOccupancyAvailableDynamicSMemPerBlock", function, [&](const Kernel &kernel) {
    const auto available = available_dynamic_shared(backend::device(), kernel, blocks, block_threads);
    if (bytes == nullptr || !available) return cudaErrorInvalidValue;
    *bytes = *available;
    return cudaSuccess;
  });
}

}  // extern "C"
