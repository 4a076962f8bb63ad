// Launches: both routes by which <<<>>> arrives, CUDA 12's (cudaLaunchKernel with the host function) and CUDA
// 13's (__cudaGetKernel once, then __cudaLaunchKernel), and the calls that programs write themselves.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "cudart/library/device_facts.hpp"
#include "cudart/library/functions.hpp"
#include "cudart/library/runtime.hpp"

namespace warpgrade::cudart {
namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
};

std::vector<Configuration> &configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

std::vector<std::byte> pack(const ptx::KernelFacts &facts, void **arguments) {
  std::vector<std::byte> packed(facts.argument_bytes);
  for (std::size_t i = 0; i < facts.parameters.size(); ++i)
    std::memcpy(&packed[facts.parameters[i].offset], arguments[i], facts.parameters[i].size);
  return packed;
}

/// What the runtime answers to a launch that cannot be; cudaSuccess when it can.
cudaError_t check(const simt::Launch &l, const ptx::KernelFacts &facts, const Kernel &kernel, size_t shared) {
  const std::uint64_t threads = std::uint64_t{l.block.x} * l.block.y * l.block.z;
  if (l.grid.x == 0 || l.grid.y == 0 || l.grid.z == 0 || threads == 0 || threads > 1024 || l.block.x > 1024 ||
      l.block.y > 1024 || l.block.z > 64 || l.grid.x > 0x7fffffffu || l.grid.y > 65535 || l.grid.z > 65535)
    // Measured on a GPU with CUDA 13; documented for CUDA 12.
    return major_version() < 13 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
  if (facts.max_threads != 0 && threads > facts.max_threads) return cudaErrorInvalidValue;
  const int registers = kernel.module->registers_of(kernel.name);
  if (static_cast<std::uint64_t>(registers) * ((threads + 31) / 32 * 32) >
      static_cast<std::uint64_t>(device_facts.registers))
    return cudaErrorLaunchOutOfResources;
  const std::size_t usable = std::max<std::size_t>(
      static_cast<std::size_t>(kernel.max_dynamic_shared),
      device_facts.shared_per_block -
          std::min<std::size_t>(facts.static_shared_bytes, device_facts.shared_per_block));
  if (shared > usable) return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// All blocks of a cooperative launch must be on the device at once.
bool too_large(const simt::Launch &l, const ptx::KernelFacts &facts, Kernel &kernel) {
  const std::uint64_t blocks = std::uint64_t{l.grid.x} * l.grid.y * l.grid.z;
  const auto threads = static_cast<int>(l.block.x * l.block.y * l.block.z);
  return blocks > static_cast<std::uint64_t>(resident_blocks(kernel, facts, threads, l.dynamic_shared_bytes));
}

/// The error that a GPU's program would see.
cudaError_t error_of(const simt::LaunchResult &result) {
  const simt::Diagnostic *last = result.diagnostics.empty() ? nullptr : &result.diagnostics.back();
  switch (result.status) {
    case simt::Status::completed:
      return cudaSuccess;
    case simt::Status::time_limit:
      return cudaErrorLaunchTimeout;
    case simt::Status::unsupported:
      return cudaErrorNotSupported;
    case simt::Status::launch_error:
      return cudaErrorInvalidConfiguration;
    case simt::Status::fault:
      break;
  }
  if (last == nullptr) return cudaErrorLaunchFailure;
  // A GPU stops at the first bad access, from which the simulator goes on.
  for (const simt::Diagnostic &one : result.diagnostics) {
    if (one.code == simt::Code::out_of_bounds || one.code == simt::Code::use_after_free)
      return cudaErrorIllegalAddress;
    if (one.code == simt::Code::misaligned) return cudaErrorMisalignedAddress;
  }
  switch (last->code) {
    case simt::Code::deadlock:
      return cudaErrorLaunchTimeout;  // where a GPU would wait for ever
    case simt::Code::trap:
      return last->message.find("assertion") != std::string::npos ? cudaErrorAssert : cudaErrorLaunchFailure;
    default:
      return cudaErrorLaunchFailure;
  }
}

/// Which arguments are pointers of interest: into `buffer`, or to memory that is the host's.
std::string hint_of(const Runtime &r, const simt::Diagnostic &d, const ptx::KernelFacts &facts,
                    const std::vector<std::byte> &packed) {
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    if (facts.parameters[i].size != 8) continue;
    Address value = 0;
    std::memcpy(&value, &packed[facts.parameters[i].offset], sizeof value);
    if (!d.buffer.empty()) {
      const Block *block = const_cast<Blocks &>(r.blocks).at(value);
      if (block == nullptr || block->name != d.buffer || block->kind == Kind::variable) continue;
      return fmt::format("{} is argument {} of the kernel", d.buffer, i + 1);
    }
    if (d.code != simt::Code::out_of_bounds || value < 1u << 20 || (value & 3) != 0) continue;
    if (const_cast<Blocks &>(r.blocks).at(value) != nullptr) continue;
    if (const auto where = host_memory_at(value))
      return fmt::format(
          "argument {} of the kernel, {:#x}, is a host pointer (it points to {}): kernels reach what "
          "cudaMalloc, "
          "cudaMallocManaged or cudaMallocHost gave",
          i + 1, value, *where);
  }
  return {};
}

void report(Runtime &r, const simt::LaunchResult &result, const std::string &kernel,
            const ptx::KernelFacts &facts, const std::vector<std::byte> &packed) {
  for (const simt::Diagnostic &d : result.diagnostics) {
    Finding finding = finding_of(d);
    finding.hint = hint_of(r, d, facts, packed);
    const auto add = [&finding](const std::string &more) {
      finding.hint += (finding.hint.empty() ? "" : "; ") + more;
    };
    if (d.consequence) add("possibly a consequence of the bad access reported before it");
    if (result.schedules > 1 && d.severity != simt::Severity::info)
      add(fmt::format("found with the order of seed {}, after {} other orders; --seed {} begins with it",
                      result.schedule_seed, result.schedules - 1, result.schedule_seed));
    r.note(std::move(finding));
  }
  const bool found = std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                                 [](const auto &d) { return d.severity != simt::Severity::info; });
  if (result.schedules == 1 || found) return;
  Finding tried;
  tried.code = "schedules";
  tried.severity = simt::Severity::info;
  tried.kernel = kernel;
  tried.message =
      fmt::format("{} orders of blocks and warps were tried (seeds {} to {}), and none showed a mistake",
                  result.schedules, r.options.seed, r.options.seed + result.schedules - 1);
  r.note(std::move(tried));
}

struct Wanted {
  const void *function;
  dim3 grid, block;
  void **arguments;
  size_t shared;
  cudaStream_t stream;
  bool cooperative = false;
  const std::vector<std::byte> *packed = nullptr;  ///< the arguments instead, as the kernel takes them
};

/// A launch with its checks made; only the arguments are missing.
struct Checked {
  const ptx::KernelFacts *facts = nullptr;
  simt::Launch launch;
  cudaError_t error = cudaSuccess;
};

Checked prepare(Runtime &r, const char *call, const Wanted &wanted) {
  Checked made;
  made.facts = r.facts_of(wanted.function, call, made.error);
  if (made.facts == nullptr) return made;
  Kernel &kernel = *r.find_kernel(wanted.function);
  made.launch.kernel = made.facts->name;
  made.launch.grid = {wanted.grid.x, wanted.grid.y, wanted.grid.z};
  made.launch.block = {wanted.block.x, wanted.block.y, wanted.block.z};
  made.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(std::min<size_t>(wanted.shared, 0x7fffffff));
  made.launch.cooperative = wanted.cooperative;
  made.error = check(made.launch, *made.facts, kernel, wanted.shared);
  if (made.error == cudaSuccess && wanted.cooperative && too_large(made.launch, *made.facts, kernel))
    made.error = cudaErrorCooperativeLaunchTooLarge;
  return made;
}

cudaError_t launch(Runtime &r, const char *call, const Wanted &wanted) {
  r.flush_printed();  // what earlier kernels printed appears when the next one starts
  Checked checked = prepare(r, call, wanted);
  if (checked.facts == nullptr || checked.error == cudaErrorCooperativeLaunchTooLarge) return checked.error;
  const ptx::KernelFacts &facts = *checked.facts;
  simt::Launch &launch = checked.launch;
  const cudaError_t error = checked.error;
  if (error == cudaSuccess && r.pending != cudaSuccess)
    return cudaSuccess;  // the device is dead, nobody knows
  launch.arguments = error != cudaSuccess       ? std::vector<std::byte>(facts.argument_bytes)
                     : wanted.packed != nullptr ? *wanted.packed
                                                : pack(facts, wanted.arguments);
  if (error == cudaSuccess && is_captured(r, wanted.stream))
    return submit(r, call, wanted.stream,
                  KernelWork{wanted.function, wanted.grid, wanted.block, wanted.shared, wanted.cooperative,
                             std::move(launch.arguments)});
  if (const cudaError_t refused = submit(r, call, wanted.stream, EmptyWork{}); refused != cudaSuccess)
    return refused;  // the legacy stream, while another one is captured
  const simt::LaunchResult result = r.device->launch(launch);
  report(r, result, ptx::demangle(launch.kernel), facts, launch.arguments);
  if (result.status == simt::Status::launch_error)
    return error != cudaSuccess ? error : cudaErrorInvalidValue;
  r.printed += result.printed;
  r.clock += result.warp_instructions + 1;
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z *
                                launch.grid.x * launch.grid.y * launch.grid.z;
  r.recorder.note_launch(ptx::demangle(r.find_kernel(wanted.function)->name), threads, result.counters);
  r.pending = error_of(result);
  if (r.launch_blocking && r.pending != cudaSuccess) return r.broken = r.pending;
  return cudaSuccess;
}

}  // namespace

cudaError_t launch_kernel(Runtime &r, const char *call, const KernelWork &work) {
  return launch(r, call,
                {work.function, work.grid, work.block, nullptr, work.shared, cudaStreamPerThread,
                 work.cooperative, &work.arguments});
}

cudaError_t make_kernel_work(Runtime &r, const char *call, void **arguments, KernelWork &work) {
  const Checked checked = prepare(
      r, call, {work.function, work.grid, work.block, arguments, work.shared, nullptr, work.cooperative});
  if (checked.facts != nullptr && checked.error == cudaSuccess)
    work.arguments = pack(*checked.facts, arguments);
  return checked.error;
}

}  // namespace warpgrade::cudart

using namespace warpgrade::cudart;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st *stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  std::vector<Configuration> &stack = configurations();
  if (stack.empty()) return last_error() = cudaErrorMissingConfiguration;
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
  return api("cudaLaunchKernel", Waits::no, [&](Runtime &r) {
    return launch(r, "cudaLaunchKernel", {function, grid, block, arguments, shared, stream});
  });
}

#if CUDART_VERSION >= 12010  // what has cudaKernel_t
cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *function) {
  return api("cudaGetKernel", Waits::no, [&](Runtime &r) {
    Kernel *kernel = r.find_kernel(function);
    *handle = reinterpret_cast<cudaKernel_t>(kernel);  // null: the launch reports it
    return kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  });
}
cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *function) {
  return __cudaGetKernel(handle, function);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream) {
  return api("a kernel launch", Waits::no, [&](Runtime &r) {
    return launch(r, "a kernel launch",
                  {reinterpret_cast<const void *>(kernel), grid, block, arguments, shared, stream});
  });
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t)
    __attribute__((alias("__cudaLaunchKernel")));
#endif

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream) {
  return api("cudaLaunchCooperativeKernel", Waits::no, [&](Runtime &r) {
    return launch(r, "cudaLaunchCooperativeKernel", {function, grid, block, arguments, shared, stream, true});
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  return api("cudaLaunchKernelEx", Waits::no, [&](Runtime &r) {
    if (config == nullptr) return cudaErrorInvalidValue;
    Wanted wanted{function,  config->gridDim,          config->blockDim,
                  arguments, config->dynamicSmemBytes, config->stream};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const cudaLaunchAttribute &attribute = config->attrs[i];
      if (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0)
        wanted.cooperative = true;
      const auto &cluster = attribute.val.clusterDim;
      if (attribute.id == cudaLaunchAttributeClusterDimension &&
          std::uint64_t{cluster.x} * cluster.y * cluster.z != 1) {
        r.not_supported("cudaLaunchKernelEx", "thread block clusters");
        return cudaErrorNotSupported;
      }
    }
    return launch(r, "cudaLaunchKernelEx", wanted);
  });
}

cudaError_t cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t, cudaStream_t)
    __attribute__((alias("cudaLaunchKernel")));
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *, const void *, void **)
    __attribute__((alias("cudaLaunchKernelExC")));
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *, dim3, dim3, void **, size_t, cudaStream_t)
    __attribute__((alias("cudaLaunchCooperativeKernel")));

}  // extern "C"
