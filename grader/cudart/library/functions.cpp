// Questions about kernels: attributes and occupancy. Registers are those that ptxas gave the kernel for the
// newest machine code in the program that is no newer than this device.
#include "cudart/library/functions.hpp"

#include <cuda_occupancy.h>

#include <algorithm>
#include <optional>

#include "cudart/library/device_facts.hpp"
#include "cudart/library/runtime.hpp"

namespace warpgrade::cudart {
namespace {

struct Function {
  Kernel *kernel = nullptr;
  const ptx::KernelFacts *facts = nullptr;
  int registers() const {
    const int known = kernel->module->registers_of(kernel->name);
    return known != 0 ? known : assumed_registers;
  }
  int max_threads() const {
    constexpr int granularity = 256;  // registers are given to warps in units of this many
    const int per_warp = (registers() * 32 + granularity - 1) / granularity * granularity;
    const int fit = device_facts.registers / per_warp * 32;
    const int promised = facts->max_threads != 0 ? static_cast<int>(facts->max_threads) : fit;
    return std::min({promised, fit, device_facts.threads_per_block});
  }
  int static_shared() const { return static_cast<int>(facts->static_shared_bytes); }
  int max_dynamic() const {
    const int plain = static_cast<int>(device_facts.shared_per_block) - static_shared();
    return std::max({kernel->max_dynamic_shared, plain, 0});
  }
};

/// Runs `body` with the function's facts.
template <class Body>
cudaError_t with_function(const char *call, const void *function, const Body &body) {
  return api(call, Waits::no, [&](Runtime &r) {
    cudaError_t error = cudaSuccess;
    const ptx::KernelFacts *facts = r.facts_of(function, call, error);
    if (facts == nullptr) return error;
    return body(Function{r.find_kernel(function), facts});
  });
}

cudaOccDeviceProp occupancy_device() {
  const DeviceFacts &d = device_facts;
  cudaOccDeviceProp to;
  to.computeMajor = d.major;
  to.computeMinor = d.minor;
  to.maxThreadsPerBlock = d.threads_per_block;
  to.maxThreadsPerMultiprocessor = d.threads_per_multiprocessor;
  to.regsPerBlock = to.regsPerMultiprocessor = d.registers;
  to.warpSize = d.warp;
  to.sharedMemPerBlock = d.shared_per_block;
  to.sharedMemPerMultiprocessor = d.shared_per_multiprocessor;
  to.numSms = d.multiprocessors;
  to.sharedMemPerBlockOptin = d.shared_per_block_optin;
  to.reservedSharedMemPerBlock = d.reserved_shared_per_block;
  return to;
}

cudaOccFuncAttributes occupancy_function(const Function &f) {
  cudaOccFuncAttributes to;
  to.maxThreadsPerBlock = f.max_threads();
  to.numRegs = f.registers();
  to.sharedSizeBytes = f.facts->static_shared_bytes;
  to.partitionedGCConfig = PARTITIONED_GC_OFF;
  to.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  to.maxDynamicSharedSizeBytes = static_cast<size_t>(f.max_dynamic());
  to.numBlockBarriers = 1;
  return to;
}

/// Blocks that fit on a multiprocessor; nothing when the calculator refuses.
std::optional<int> active_blocks(const Function &f, int block_threads, size_t dynamic_shared) {
  if (block_threads > f.max_threads()) return 0;
  const cudaOccDeviceProp device = occupancy_device();
  const cudaOccFuncAttributes attributes = occupancy_function(f);
  const cudaOccDeviceState state;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &attributes, &state, block_threads,
                                              dynamic_shared) != CUDA_OCC_SUCCESS)
    return std::nullopt;
  return result.activeBlocksPerMultiprocessor;
}

}  // namespace

int resident_blocks(Kernel &kernel, const ptx::KernelFacts &facts, int block_threads,
                    std::size_t dynamic_shared) {
  return active_blocks({&kernel, &facts}, block_threads, dynamic_shared).value_or(0) *
         device_facts.multiprocessors;
}

}  // namespace warpgrade::cudart

using namespace warpgrade::cudart;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *to, const void *function) {
  return with_function("cudaFuncGetAttributes", function, [&](const Function &f) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {};
    to->sharedSizeBytes = f.facts->static_shared_bytes;
    to->localSizeBytes = f.facts->local_bytes;
    to->maxThreadsPerBlock = f.max_threads();
    to->numRegs = f.registers();
    // Libraries choose their tuning by this: what their device code was compiled for.
    to->ptxVersion = f.kernel->module->ptx()->sm;
    to->binaryVersion = device_facts.sm;
    to->maxDynamicSharedSizeBytes = f.max_dynamic();
    to->preferredShmemCarveout = f.kernel->carveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  return with_function("cudaFuncSetAttribute", function, [&](const Function &f) {
    Runtime &r = runtime();
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      if (value < 0 || value + f.static_shared() > static_cast<int>(device_facts.shared_per_block_optin))
        return cudaErrorInvalidValue;
      f.kernel->max_dynamic_shared = value;
      r.device->set_max_dynamic_shared(f.facts->name, static_cast<std::uint32_t>(value));
    } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      f.kernel->carveout = value;
    } else {
      r.not_supported("cudaFuncSetAttribute", "attributes of thread block clusters");
      return cudaErrorNotSupported;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  return with_function("cudaFuncGetName", function, [&](const Function &f) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = f.kernel->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
  return with_function("cudaFuncGetParamInfo", function, [&](const Function &f) {
    if (index >= f.facts->parameters.size()) return cudaErrorInvalidValue;
    if (offset != nullptr) *offset = f.facts->parameters[index].offset;
    if (size != nullptr) *size = f.facts->parameters[index].size;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int block_threads, size_t dynamic_shared,
                                                                   unsigned) {
  return with_function("cudaOccupancyMaxActiveBlocksPerMultiprocessor", function, [&](const Function &f) {
    if (blocks == nullptr || block_threads <= 0) return cudaErrorInvalidValue;
    const std::optional<int> active = active_blocks(f, block_threads, dynamic_shared);
    if (!active) return cudaErrorUnknown;
    *blocks = *active;
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
  return with_function("cudaOccupancyAvailableDynamicSMemPerBlock", function, [&](const Function &f) {
    if (bytes == nullptr || blocks <= 0 || block_threads <= 0) return cudaErrorInvalidValue;
    const cudaOccDeviceProp device = occupancy_device();
    const cudaOccFuncAttributes attributes = occupancy_function(f);
    const cudaOccDeviceState state;
    return cudaOccAvailableDynamicSMemPerBlock(bytes, &device, &attributes, &state, blocks, block_threads) ==
                   CUDA_OCC_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
  });
}

}  // extern "C"
