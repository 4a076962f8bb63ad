// Launches: both routes by which <<<>>> arrives, CUDA 12's (cudaLaunchKernel with the host function) and CUDA
// 13's
// (__cudaGetKernel once, then __cudaLaunchKernel).
#include <algorithm>
#include <cstring>
#include <limits>

#include "plan/launch_check.hpp"
#include "record/runtime/api.hpp"

namespace warpgrade::record {
namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
};

// Never destroyed, like the worker's state; student threads do not exist (the sandbox has none), so one stack
// is all. There is room before the launcher is called: it may have taken all the memory there is.
std::vector<Configuration> &configurations() {
  static auto *const stack = [] {
    auto *const made = new std::vector<Configuration>;
    made->reserve(16);
    return made;
  }();
  return *stack;
}
[[maybe_unused]] const std::vector<Configuration> &made_beforehand = configurations();

plan::Dim3 dim(const dim3 &d) {
  return {d.x, d.y, d.z};
}

std::uint32_t clamp(size_t bytes) {
  return static_cast<std::uint32_t>(std::min<size_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

std::vector<std::byte> &packing_room() {
  static auto *const room = [] {
    auto *const made = new std::vector<std::byte>;
    made->reserve(4096);  // as many bytes as a kernel's parameters may have
    return made;
  }();
  return *room;
}
[[maybe_unused]] const std::vector<std::byte> &room_made_beforehand = packing_room();

const std::vector<std::byte> &pack(const plan::KernelLayout &layout, void **arguments) {
  std::vector<std::byte> &packed = packing_room();
  packed.assign(layout.argument_bytes, std::byte{});
  for (std::size_t i = 0; i < layout.parameters.size(); ++i) {
    const plan::ParameterLayout &parameter = layout.parameters[i];
    std::memcpy(&packed[parameter.offset], arguments[i], parameter.size);
  }
  return packed;
}

cudaError_t launch(const char *call, const void *function, const dim3 &grid, const dim3 &block,
                   void **arguments, size_t shared) {
  Worker &state = worker();
  if (state.phase != Phase::inside) {  // before it, clang's objects have not registered their kernels
    state.record(plan::Tag::launch, "a kernel launch");
    return fail(cudaErrorNotSupported);
  }
  const Kernel *kernel = state.find_kernel(function);
  const plan::KernelLayout *layout = kernel == nullptr ? nullptr : state.layout_of(*kernel);
  if (layout == nullptr) {
    state.refuse(call, kernel == nullptr ? "the function it launches is no __global__ function"
                                         : "the kernel " + kernel->name + " is not in the device code");
    return fail(cudaErrorInvalidDeviceFunction);
  }
  const std::vector<std::byte> &packed = pack(*layout, arguments);
  Writer *to = state.record(plan::Tag::launch, "a kernel launch");
  if (to == nullptr) return fail(cudaErrorNotSupported);
  to->put(*kernel->index);
  for (const unsigned side : {grid.x, grid.y, grid.z, block.x, block.y, block.z})
    to->put<std::uint32_t>(side);
  to->put<std::uint32_t>(clamp(shared));
  to->put_bytes(packed);
  const auto refusal = plan::refusal_of_launch(dim(grid), dim(block), shared, *layout,
                                               kernel->max_dynamic_shared, state.orders().request.device);
  if (!refusal) return cudaSuccess;
  state.failed_launch(*refusal);  // recorded all the same: the replay finds the same reason and reports it
  return fail(cudaErrorInvalidConfiguration);
}

}  // namespace
}  // namespace warpgrade::record

using namespace warpgrade;
using record::worker;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st *stream) {
  record::configurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  std::vector<record::Configuration> &stack = record::configurations();
  if (stack.empty()) return record::fail(cudaErrorMissingConfiguration);
  const record::Configuration top = stack.back();
  stack.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t *>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t) {
  return record::launch("cudaLaunchKernel", function, grid, block, arguments, shared);
}

#if CUDART_VERSION >= 12010  // what has cudaKernel_t
cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *function) {
  record::Kernel *kernel = worker().find_kernel(function);
  *handle = reinterpret_cast<cudaKernel_t>(kernel);  // null: the launch reports it
  return kernel == nullptr ? record::fail(cudaErrorInvalidDeviceFunction) : cudaSuccess;
}
cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *function) {
  return __cudaGetKernel(handle, function);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t) {
  return record::launch("a kernel launch", reinterpret_cast<const void *>(kernel), grid, block, arguments,
                        shared);
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t)
    __attribute__((alias("__cudaLaunchKernel")));
#endif

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0) {
      return record::refuse("cudaLaunchKernelEx",
                            "a plan cannot hold cooperative launches: blocks may not wait for each other");
    }
    if (attribute.id == cudaLaunchAttributeClusterDimension &&
        std::uint64_t{attribute.val.clusterDim.x} * attribute.val.clusterDim.y * attribute.val.clusterDim.z !=
            1) {
      return record::refuse("cudaLaunchKernelEx", "a plan cannot hold launches with thread block clusters");
    }
  }
  return record::launch("cudaLaunchKernelEx", function, config->gridDim, config->blockDim, arguments,
                        config->dynamicSmemBytes);
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  record::Kernel *kernel = worker().find_kernel(function);
  const plan::KernelLayout *layout = kernel == nullptr ? nullptr : worker().layout_of(*kernel);
  if (layout == nullptr) return record::fail(cudaErrorInvalidDeviceFunction);
  plan::FunctionAttribute recorded;
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    const std::uint64_t most = worker().orders().request.device.shared_bytes_per_block_optin;
    if (value < 0 || static_cast<std::uint64_t>(value) + layout->static_shared_bytes > most) {
      return record::fail(cudaErrorInvalidValue);
    }
    kernel->max_dynamic_shared = static_cast<std::uint64_t>(value);
    recorded = plan::FunctionAttribute::max_dynamic_shared_bytes;
  } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
    if (value < -1 || value > 100) return record::fail(cudaErrorInvalidValue);
    kernel->carveout = value;
    recorded = plan::FunctionAttribute::preferred_shared_carveout;
  } else {
    return record::refuse("cudaFuncSetAttribute",
                          "only the size and the carveout of shared memory can be set");
  }
  Writer *to = worker().record(plan::Tag::attribute, "cudaFuncSetAttribute");
  if (to == nullptr) return record::fail(cudaErrorNotSupported);
  to->put(*kernel->index);
  to->put(recorded);
  to->put<std::int32_t>(value);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  const record::Kernel *kernel = worker().find_kernel(function);
  const plan::KernelLayout *layout = kernel == nullptr ? nullptr : worker().layout_of(*kernel);
  if (layout == nullptr) return record::fail(cudaErrorInvalidDeviceFunction);
  const plan::DeviceProperties &device = worker().orders().request.device;
  *attributes = {};
  attributes->sharedSizeBytes = layout->static_shared_bytes;
  attributes->localSizeBytes = layout->local_bytes;
  attributes->numRegs =
      layout->registers != 0 ? static_cast<int>(layout->registers) : 32;  // not compiled to SASS: a guess
  attributes->maxThreadsPerBlock =
      layout->max_threads != 0 ? static_cast<int>(layout->max_threads) : device.max_threads_per_block;
  attributes->ptxVersion = attributes->binaryVersion = device.major * 10 + device.minor;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(
      std::max(kernel->max_dynamic_shared, device.shared_bytes_per_block - layout->static_shared_bytes));
  attributes->preferredShmemCarveout = kernel->carveout;
  return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  const record::Kernel *kernel = worker().find_kernel(function);
  if (kernel == nullptr) return record::fail(cudaErrorInvalidDeviceFunction);
  *name = kernel->name.c_str();
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig) {
  return cudaSuccess;
}

// --default-stream per-thread renames the calls; a plan has one stream.
cudaError_t cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t, cudaStream_t)
    __attribute__((alias("cudaLaunchKernel")));
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *, const void *, void **)
    __attribute__((alias("cudaLaunchKernelExC")));

}  // extern "C"
