// Launches: both routes by which <<<>>> arrives, CUDA 12's (cudaLaunchKernel with the host function) and CUDA
// 13's (__cudaGetKernel once, then __cudaLaunchKernel), and the calls that programs write themselves.
#include "runtime/launch.hpp"

#include <cstring>

#include "ptx/device_properties.hpp"
#include "runtime/attributes.hpp"

namespace warpgrade::cuda {
namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
};

// Never destroyed: the program launches in exit handlers too. There is room from the beginning, for a program
// that has taken all the memory there is.
template <class Value>
std::vector<Value> *with_room(std::size_t count) {
  auto *const made = new std::vector<Value>;
  made->reserve(count);
  return made;
}
std::vector<Configuration> &configurations() {
  thread_local auto *const stack = with_room<Configuration>(16);
  return *stack;
}
std::vector<std::byte> &packing_room() {
  thread_local auto *const room = with_room<std::byte>(4096);  // as many bytes as parameters may have
  return *room;
}
[[maybe_unused]] const bool made_beforehand = (configurations(), packing_room(), true);

constexpr auto invalid_cluster_size = static_cast<cudaError_t>(912);  // as CUDA 11.8 and newer name it

/// Measured on an H200 with CUDA 13; documented for CUDA 12.
cudaError_t error_of(ptx::LaunchLimit limit) {
  switch (limit) {
    case ptx::LaunchLimit::configuration:
      return backend::major_version() < 13 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
    case ptx::LaunchLimit::registers:
      return cudaErrorLaunchOutOfResources;
    case ptx::LaunchLimit::cluster:
      return invalid_cluster_size;
    case ptx::LaunchLimit::launch_bounds:
    case ptx::LaunchLimit::shared_memory:
      break;
  }
  return cudaErrorInvalidValue;
}

/// All blocks of a cooperative launch must be on the device at once.
bool fits_at_once(const LaunchCall &l, const Kernel &kernel) {
  const Device &device = backend::device();
  const int threads = static_cast<int>(l.block.x * l.block.y * l.block.z);
  const auto at_once = static_cast<std::uint64_t>(active_blocks(device, kernel, threads, l.shared)) *
                       static_cast<std::uint64_t>(device.figures.multiprocessors);
  return std::uint64_t{l.grid.x} * l.grid.y * l.grid.z <= at_once;
}

cudaError_t launch(const char *call, const LaunchCall &l) {
  return backend::enter(call, Waits::no, [&] {
    if (const cudaError_t error = backend::before_launch(call, l.function, l.cooperative);
        error != cudaSuccess)
      return error;
    const CheckedLaunch checked = check(call, l);
    if (checked.kernel == nullptr || checked.error == cudaErrorCooperativeLaunchTooLarge)
      return checked.error;
    const ptx::KernelLayout &layout = *checked.kernel->layout;
    if (l.arguments == nullptr && !layout.parameters.empty() && !checked.refusal)
      return cudaErrorInvalidValue;
    return backend::launch(call, {l.function, checked.kernel, l.grid, l.block, l.shared, l.stream,
                                  l.cooperative, pack(layout, l.arguments),
                                  checked.refusal ? &*checked.refusal : nullptr, checked.error, l.cluster});
  });
}

}  // namespace

cudaError_t find_kernel(const char *call, const void *function, Kernel *&to) {
  Kernel *const found = backend::state().find_kernel(function);
  to = nullptr;
  const cudaError_t unknown =
      backend::major_version() < 13 ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
  if (found == nullptr) return unknown;
  if (const cudaError_t error = backend::load(call, *found); error != cudaSuccess) return error;
  if (found->layout == nullptr) return unknown;
  to = found;
  return cudaSuccess;
}

CheckedLaunch check(const char *call, const LaunchCall &l) {
  CheckedLaunch checked;
  checked.error = find_kernel(call, l.function, checked.kernel);
  if (checked.error != cudaSuccess) return checked;
  const Kernel &kernel = *checked.kernel;
  const KernelSettings &settings = kernel.on(backend::device().number);
  checked.refusal =
      ptx::check_launch({{l.grid.x, l.grid.y, l.grid.z}, {l.block.x, l.block.y, l.block.z}, l.shared},
                        {kernel.layout->static_shared_bytes, kernel.layout->max_threads, kernel.registers,
                         static_cast<std::uint64_t>(settings.max_dynamic_shared)},
                        ptx::block_limits(backend::device().figures));
  if (!checked.refusal)
    if (auto why = ptx::check_cluster({l.grid.x, l.grid.y, l.grid.z}, {l.cluster.x, l.cluster.y, l.cluster.z},
                                      kernel.cluster, settings.large_clusters))
      checked.refusal = ptx::LaunchRefusal{ptx::LaunchLimit::cluster, std::move(*why)};
  if (checked.refusal)
    checked.error = error_of(checked.refusal->limit);
  else if (l.cooperative && !fits_at_once(l, kernel))
    checked.error = cudaErrorCooperativeLaunchTooLarge;
  return checked;
}

const std::vector<std::byte> &pack(const ptx::KernelLayout &layout, void **arguments) {
  std::vector<std::byte> &packed = packing_room();
  packed.assign(layout.argument_bytes, std::byte{});
  for (std::size_t i = 0; arguments != nullptr && i < layout.parameters.size(); ++i)
    std::memcpy(&packed[layout.parameters[i].offset], arguments[i], layout.parameters[i].size);
  return packed;
}

}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st *stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  std::vector<Configuration> &stack = configurations();
  if (stack.empty())
    return backend::enter("a kernel launch", Waits::no, [] { return cudaErrorMissingConfiguration; });
  const Configuration top = stack.back();
  stack.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t *>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream) {
  return launch("cudaLaunchKernel", {function, grid, block, arguments, shared, stream});
}
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream) {
  return launch("cudaLaunchCooperativeKernel", {function, grid, block, arguments, shared, stream, true});
}

#if CUDART_VERSION >= 12010  // what has cudaKernel_t
cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *function) {
  return backend::enter("cudaGetKernel", Waits::no, [&] {
    Kernel *kernel = backend::state().find_kernel(function);
    *handle = reinterpret_cast<cudaKernel_t>(kernel);  // null: the launch reports it
    return kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  });
}
cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *function) {
  return __cudaGetKernel(handle, function);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream) {
  return launch("a kernel launch",
                {reinterpret_cast<const void *>(kernel), grid, block, arguments, shared, stream});
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t)
    __attribute__((alias("__cudaLaunchKernel")));
#endif

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  constexpr const char *call = "cudaLaunchKernelEx";
  if (config == nullptr) return backend::enter(call, Waits::no, [] { return cudaErrorInvalidValue; });
  LaunchCall made{function,  config->gridDim,          config->blockDim,
                  arguments, config->dynamicSmemBytes, config->stream};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = config->attrs[i];
    made.cooperative |= attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0;
    const auto &cluster = attribute.val.clusterDim;
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    if (!backend::device().clusters && std::uint64_t{cluster.x} * cluster.y * cluster.z != 1)
      return backend::enter(call, Waits::no, [] { return backend::refuse(call, Reason::clusters); });
    made.cluster = dim3(cluster.x, cluster.y, cluster.z);
  }
  return launch(call, made);
}

cudaError_t cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t, cudaStream_t)
    __attribute__((alias("cudaLaunchKernel")));
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *, const void *, void **)
    __attribute__((alias("cudaLaunchKernelExC")));
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *, dim3, dim3, void **, size_t, cudaStream_t)
    __attribute__((alias("cudaLaunchCooperativeKernel")));

}  // extern "C"
