#include "cudart/library/runtime.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cudart/error_names.hpp"
#include "cudart/library/device_facts.hpp"
#include "cudart/library/faults.hpp"

namespace warpgrade::cudart {
namespace {

std::map<int, std::size_t> default_limits() {  // as a GPU of this generation answers
  return {{cudaLimitStackSize, 1024},
          {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
          {cudaLimitMallocHeapSize, std::size_t{8} << 20},
          {cudaLimitDevRuntimeSyncDepth, 2},
          {cudaLimitDevRuntimePendingLaunchCount, 2048},
          {cudaLimitMaxL2FetchGranularity, 64},
          {cudaLimitPersistingL2CacheSize, 0}};
}

Options read_options() {
  const char *text = std::getenv(options_variable);
  return options_from(text == nullptr ? "" : text);
}

}  // namespace

Runtime &runtime() {
  // Never destroyed: exit handlers of the program still call us.
  alignas(Runtime) static std::byte place[sizeof(Runtime)];
  static Runtime *const state = new (place) Runtime;
  return *state;
}

cudaError_t &last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

Runtime::Runtime() : options(read_options()), recorder(options.folder) {
  const char *blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  launch_blocking = blocking != nullptr && std::strcmp(blocking, "0") != 0 && *blocking != '\0';
  reserve_device_range();
  device = std::make_unique<simt::Device>(device_options());
  limits = default_limits();
  streams[number(cudaStreamPerThread)].flags = cudaStreamNonBlocking;
  catch_fatal_signals();
}

simt::Options Runtime::device_options() const {
  simt::Options to;
  to.instruction_budget = options.instruction_budget;
  to.threads = options.threads;
  to.schedule_seed = options.seed;
  to.shuffle_blocks = options.seed != 0;
  to.schedules = options.schedules;
  to.stop_at_first = options.stop_at_first;
  to.check_races = options.check_races;
  to.check_initialized = options.check_initialized;
  to.memory_bytes = device_facts.global_bytes;
  to.arch = device_facts.sm;
  return to;
}

cudaError_t Runtime::begin(Waits waits) {
  explained_ = false;
  if (waits == Waits::yes)
    for (auto &[handle, stream] : streams)
      if (stream.capture && !stream.capture->relaxed) {
        stream.capture->broken = true;
        return cudaErrorStreamCaptureUnsupported;
      }
  if (waits == Waits::yes || launch_blocking) {
    flush_printed();
    if (broken == cudaSuccess) broken = pending;
  }
  return broken;
}

cudaError_t Runtime::end(const char *call, cudaError_t error) {
  if (error == cudaSuccess) return error;
  last_error() = error;
  told |= error == broken;
  if (explained_) return error;
  const ErrorName *const name = find_error(error);
  Finding finding;
  finding.code = "api_error";
  finding.severity = simt::Severity::info;
  finding.call = call;
  finding.message =
      fmt::format("returned {} ({})", name ? name->name : "an unknown error", name ? name->text : "?");
  // Once a kernel has failed every call says so; the first is enough.
  const std::string key = error == broken ? "broken" : call + finding.message;
  if (reported_.insert(key).second) recorder.note(std::move(finding));
  return error;
}

void Runtime::note(Finding finding) {
  explained_ = true;
  recorder.note(std::move(finding));
}

void Runtime::not_supported(const char *call, const std::string &why) {
  explained_ = true;
  if (!reported_.insert(std::string(call) + "not supported").second) return;
  Finding finding;
  finding.code = "not_supported";
  finding.severity = simt::Severity::warning;
  finding.call = call;
  finding.message = "not supported by the simulator: " + why;
  note(std::move(finding));
}

void Runtime::mistake(const char *call, const char *code, std::string message, std::string buffer) {
  Finding finding;
  finding.code = code;
  finding.call = call;
  finding.message = std::move(message);
  finding.buffer = std::move(buffer);
  note(std::move(finding));
}

void Runtime::flush_printed() {
  if (printed.empty()) return;
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  printed.clear();
}

Kernel *Runtime::find_kernel(const void *key) {
  if (const auto known = handles.find(key); known != handles.end()) return known->second;
  const auto found = kernels.find(key);
  return found == kernels.end() ? nullptr : found->second.get();
}

cudaError_t Runtime::load(Module &module, const char *call) {
  if (!module.parsed()) module.parse(taken_names_);
  if (module.problem().error != 0) {
    explained_ = true;
    if (reported_.insert(module.problem().message).second)
      mistake(call, "unsupported", module.problem().message);
    return static_cast<cudaError_t>(module.problem().error);
  }
  if (module.loaded) return cudaSuccess;
  std::map<std::string, Address, std::less<>> placed;
  for (HostVariable *variable : module.managed) {
    const std::span<std::byte> memory = visible.allocate(variable->bytes);
    if (memory.empty()) return cudaErrorMemoryAllocation;
    const std::string name = ptx::demangle(variable->name);
    device->map(memory, name);
    blocks.add({number(memory.data()), memory.size(), Kind::managed, name, true, 0, false});
    placed[module.renamed(variable->name)] = number(memory.data());
    *variable->managed = memory.data();
  }
  device->load(module.ptx(), placed);
  module.loaded = true;
  for (const ptx::Variable &variable : module.ptx()->variables) {
    const auto at = device->variable(variable.name);
    if (!at || variable.space == ptx::Space::shared || placed.count(variable.name)) continue;
    blocks.add({*at, variable.bytes, Kind::variable, ptx::demangle(variable.name), true, 0, false});
  }
  return cudaSuccess;
}

const ptx::KernelFacts *Runtime::facts_of(const void *function, const char *call, cudaError_t &error) {
  const Kernel *kernel = find_kernel(function);
  error = major_version() < 13 ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
  if (kernel == nullptr) return nullptr;
  if (const cudaError_t problem = load(*kernel->module, call); problem != cudaSuccess) {
    error = problem;
    return nullptr;
  }
  const ptx::KernelFacts *facts =
      ptx::find_kernel(*kernel->module->ptx(), kernel->module->renamed(kernel->name));
  if (facts != nullptr) error = cudaSuccess;
  return facts;
}

void Runtime::finish(bool ended_by_itself) {
  if (!printed.empty()) {
    Finding finding;
    finding.code = "printf_lost";
    finding.severity = simt::Severity::warning;
    finding.call = "printf";
    finding.message = fmt::format(
        "{} bytes that kernels printed never appeared: the program ended without waiting for the device "
        "(cudaDeviceSynchronize)",
        printed.size());
    recorder.note(std::move(finding));
  }
  std::string names;
  std::uint64_t count = 0, bytes = 0;
  for (const auto &[begin, block] : blocks.all()) {
    if (!block.live || !block.allocated) continue;
    if (++count <= 5)
      names += fmt::format("{}{} ({} bytes)", count == 1 ? "" : ", ", block.name, block.bytes);
    bytes += block.bytes;
  }
  if (count > 5) names += ", ...";
  if (count > 0 && ended_by_itself && broken == cudaSuccess && pending == cudaSuccess) {
    Finding finding;
    finding.code = "leak";
    finding.severity = simt::Severity::info;
    finding.call = "cudaFree";
    finding.message = fmt::format("never called for {} allocation{}, {} bytes in all: {}", count,
                                  count == 1 ? "" : "s", bytes, names);
    recorder.note(std::move(finding));
  }
  recorder.finish(ended_by_itself);
}

void Runtime::reset() {
  flush_printed();
  for (const auto &[begin, block] : blocks.all())
    if (block.live && (block.kind == Kind::managed || block.kind == Kind::pinned))
      VisibleMemory::release({static_cast<std::byte *>(pointer(block.begin)), block.bytes});
  blocks.clear();
  used_bytes = 0;
  streams.clear();
  streams[number(cudaStreamPerThread)].flags = cudaStreamNonBlocking;
  graphs.clear();
  graph_execs.clear();
  arrays.clear();
  mipmaps.clear();
  textures.clear();
  events.clear();
  device = std::make_unique<simt::Device>(device_options());
  limits = default_limits();
  for (const auto &module : modules) module->loaded = false;
  for (const auto &[function, kernel] : kernels) kernel->max_dynamic_shared = 0;
}

// For the files that know no CUDA header.
int accept(const char *call);
int accept(const char *call) {
  return api(call, Waits::no, [](Runtime &) { return cudaSuccess; });
}
int refuse(const char *call, const char *why);
int refuse(const char *call, const char *why) {
  return api(call, Waits::no, [&](Runtime &r) {
    r.not_supported(call, why);
    return cudaErrorNotSupported;
  });
}

}  // namespace warpgrade::cudart

namespace {

// After the program's own exit handlers and destructors, which may still free.
__attribute__((destructor)) void finish_at_exit() {
  warpgrade::cudart::Runtime &r = warpgrade::cudart::runtime();
  const std::lock_guard lock(r.mutex);
  r.finish(true);
}

}  // namespace
