#include "runtime/simulate/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <string_view>

#include "runtime/error_names.hpp"
#include "runtime/simulate/devices.hpp"
#include "runtime/simulate/driver.hpp"
#include "runtime/simulate/faults.hpp"
#include "runtime/simulate/services.hpp"

namespace warpgrade::cuda {
namespace {

constexpr int simulated_sm = 90;

/// Calls whose error cudaGetLastError tells too.
bool starts_kernel(std::string_view call) {
  return call.starts_with("cudaLaunchKernel") || call.starts_with("cudaLaunchCooperativeKernel");
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

Runtime::Runtime() : options(read_options()), journal(options.folder) {
  const char *blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  launch_blocking = blocking != nullptr && std::strcmp(blocking, "0") != 0 && *blocking != '\0';
  reserve_device_range();
  peers = {};
  devices.push_back(std::make_unique<simt::Device>(device_options()));
  for (int i = 1; i < options.devices; ++i)
    devices.push_back(
        std::make_unique<simt::Device>(device_options(), *devices[0], static_cast<std::uint8_t>(i)));
  for (int i = 0; i < options.devices; ++i)
    for (int k = 0; k < options.devices; ++k) set_access(i, k, i == k);
  device = devices[0].get();
  catch_fatal_signals();
}

simt::Options Runtime::device_options() const {
  simt::Options to;
  to.instruction_budget = options.instruction_budget;
  to.interruption = &interruption();
  to.threads = options.threads;
  to.schedule_seed = options.seed;
  to.shuffle_blocks = options.seed != 0;
  to.schedules = options.schedules;
  to.stop_at_first = options.stop_at_first;
  to.check_races = options.check_races;
  to.check_initialized = options.check_initialized;
  to.memory_bytes = backend::first_device().figures.global_bytes;  // all are alike
  to.starts_children = true;
  if (options.record) to.record.emplace().any = true;
  to.arch = simulated_sm;
  return to;
}

cudaError_t Runtime::begin(Waits waits) {
  explained_ = false;
  if (devices.size() > 1) use(device_of_thread());
  host_watch.lift(*this);
  order.begin_call(current, waits == Waits::yes);
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
  order.end_call(*this);
  host_watch.protect(*this);
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
  if (error != broken && starts_kernel(call)) unasked_ = finding;
  // Once a kernel has failed every call says so; the first is enough.
  const std::string key = error == broken ? "broken" : call + finding.message;
  if (reported_.insert(key).second) journal.note(std::move(finding));
  return error;
}

cudaError_t Runtime::refuse_in_host_function(const char *call) {
  Finding finding;
  finding.code = "host_function";
  finding.call = call;
  finding.message =
      "is called in a function that a stream runs (cudaLaunchHostFunc), which must not call CUDA: returned "
      "cudaErrorNotPermitted";
  finding.hint = "Make the call after the host has waited for the stream.";
  journal.note(std::move(finding));
  return last_error() = cudaErrorNotPermitted;
}

namespace {
thread_local int host_functions = 0;
}
HostFunction::HostFunction() {
  ++host_functions;
}
HostFunction::~HostFunction() {
  --host_functions;
}
bool HostFunction::runs() {
  return host_functions > 0;
}

void Runtime::note(Finding finding) {
  explained_ = true;
  journal.note(std::move(finding));
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

cudaError_t Runtime::load(Module &module, const char *call) {
  if (!module.parsed()) module.parse(taken_names_);
  if (module.problem().error != 0) {
    explained_ = true;
    if (reported_.insert(module.problem().message).second)
      mistake(call, "unsupported", module.problem().message);
    return static_cast<cudaError_t>(module.problem().error);
  }
  if ((module.loaded >> current & 1) != 0) return cudaSuccess;
  if (module.loaded == 0) module.managed_at.clear();
  for (Variable *variable : module.managed) {
    if (module.managed_at.count(module.renamed(variable->name)) != 0) continue;
    const std::span<std::byte> memory = visible.allocate(variable->bytes);
    if (memory.empty()) return cudaErrorMemoryAllocation;
    const std::string name = ptx::demangle(variable->name);
    device->map(memory, name);
    add_block({number(memory.data()), memory.size(), Kind::managed, name, true, 0, false});
    module.managed_at[module.renamed(variable->name)] = number(memory.data());
    *variable->managed = memory.data();
  }
  if (!module.code) module.code = std::make_shared<const simt::DeviceCode>(module.ptx());
  device->load(module.code, module.managed_at);
  module.loaded |= 1u << current;
  for (const ptx::Variable &variable : module.ptx()->variables) {
    const auto at = device->variable(variable.name);
    if (!at || variable.space == ptx::Space::shared || module.managed_at.count(variable.name)) continue;
    add_block({*at, variable.bytes, Kind::variable, ptx::demangle(variable.name), true, 0, false});
  }
  return cudaSuccess;
}

void Runtime::finish(bool ended_by_itself) {
  host_watch.lift(*this);
  if (unasked_) {
    unasked_->severity = simt::Severity::error;
    unasked_->message += ", and the program ended without a call of cudaGetLastError";
    unasked_->hint = "The kernel did not run.";
    journal.note(std::move(*unasked_));
    unasked_.reset();
  }
  if (!printed.empty()) {
    Finding finding;
    finding.code = "printf_lost";
    finding.severity = simt::Severity::warning;
    finding.call = "printf";
    finding.message = fmt::format(
        "{} bytes that kernels printed never appeared: the program ended without waiting for the device "
        "(cudaDeviceSynchronize)",
        printed.size());
    journal.note(std::move(finding));
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
    journal.note(std::move(finding));
  }
  journal.finish(ended_by_itself);
}

void Runtime::reset() {
  flush_printed();
  if (devices.size() > 1) return reset_current(*this);
  for (const auto &[begin, block] : blocks.all())
    if (block.live && (block.kind == Kind::managed || block.kind == Kind::pinned))
      VisibleMemory::release({static_cast<std::byte *>(pointer(block.begin)), block.bytes});
  blocks.clear();
  usage[0].used_bytes = usage[0].pool_bytes = 0;
  forget_device(0);
  graphs.clear();
  graph_execs.clear();
  arrays.clear();
  mipmaps.clear();
  textures.clear();
  devices[0] = std::make_unique<simt::Device>(device_options());
  device = devices[0].get();
  for (const auto &module : modules) module->loaded = 0;
}

int accept_call(const char *call) {
  return backend::enter(call, Waits::no, [] { return cudaSuccess; });
}
int refuse_call(const char *call, Reason reason) {
  return backend::enter(call, Waits::no, [&] { return backend::refuse(call, reason); });
}

namespace {

/// Calls of the runtime, unlike those of the driver, make a context where there is none, unless they only
/// ask.
bool makes_context(std::string_view call) {
  if (!call.starts_with("cuda")) return false;
  constexpr std::string_view asks[] = {"cudaDeviceGet", "cudaGetDevice",  "cudaDriverGet", "cudaRuntimeGet",
                                       "cudaGetLast",   "cudaPeekAtLast", "cudaGetError"};
  return std::none_of(std::begin(asks), std::end(asks), [&](auto name) { return call.starts_with(name); });
}

}  // namespace

namespace backend {

void Unlock::operator()(std::recursive_mutex *mutex) const noexcept {
  mutex->unlock();
}

std::unique_ptr<std::recursive_mutex, Unlock> lock() {
  std::recursive_mutex &mutex = runtime().mutex;
  mutex.lock();
  return std::unique_ptr<std::recursive_mutex, Unlock>(&mutex);
}

cudaError_t enter(const char *call, Waits waits, Body body) {
  Runtime &r = runtime();
  const std::lock_guard guard(r.mutex);
  if (HostFunction::runs()) return r.refuse_in_host_function(call);
  if (makes_context(call)) make_primary_current();
  if (const cudaError_t error = r.begin(waits); error != cudaSuccess) return r.end(call, error);
  try {
    return r.end(call, body());
  } catch (const std::bad_alloc &) {
    return r.end(call, cudaErrorMemoryAllocation);
  } catch (const std::exception &failure) {
    r.mistake(call, "simulator_failed", failure.what());
    return r.end(call, cudaErrorUnknown);
  }
}

cudaError_t last_error(bool forget) {
  Runtime &r = runtime();
  const std::lock_guard guard(r.mutex);
  r.forget_failed_launch();
  const bool news = r.broken != cudaSuccess && !r.told;
  const cudaError_t error = news ? r.broken : cuda::last_error();
  if (!forget) return error;
  r.told |= news;  // a fault is forgotten here too; the next call returns it again
  cuda::last_error() = cudaSuccess;
  return error;
}

cudaError_t refuse(const char *call, Reason reason) {
  return refuse(call, words_of(reason).simulator);
}
cudaError_t refuse(const char *call, const std::string &what) {
  runtime().not_supported(call, what);
  return cudaErrorNotSupported;
}
cudaError_t reject(const char *call, const std::string &why) {
  Finding finding;
  finding.code = "api_error";
  finding.severity = simt::Severity::info;
  finding.call = call;
  finding.message = "returned CUDA_ERROR_INVALID_VALUE: " + why;
  runtime().note(std::move(finding));
  return cudaErrorInvalidValue;
}

State &state() {
  return runtime();
}

namespace {

/// What a multiprocessor holds from a compute capability on, by the table in NVIDIA's programming guide.
struct Limits {
  int capability, threads, shared_kib, block_kib;
};
constexpr Limits limits_of[] = {{0, 2048, 96, 48},    {70, 2048, 96, 96},   {75, 1024, 64, 64},
                                {80, 2048, 164, 163}, {86, 1536, 100, 99},  {87, 2048, 164, 163},
                                {89, 1536, 100, 99},  {90, 2048, 228, 227}, {120, 1536, 100, 99}};

void set_limits(ptx::DeviceProperties &to, int capability) {
  for (const Limits &one : limits_of) {
    if (capability < one.capability) return;
    to.max_threads_per_multiprocessor = one.threads;
    to.shared_bytes_per_multiprocessor = static_cast<std::uint64_t>(one.shared_kib) << 10;
    to.shared_bytes_per_block_optin = static_cast<std::uint64_t>(one.block_kib) << 10;
  }
}

/// A small device of compute capability 9.0, whose limits the simulator has, or what the options ask for. Clock rates
/// are round, since time means nothing.
Device make_device(const Options &options) {
  ptx::DeviceProperties figures{.name = options.gpu,
                                .major = options.capability / 10,
                                .minor = options.capability % 10,
                                .multiprocessors = std::max(options.multiprocessors, 1),
                                .global_bytes = 8ull << 30,
                                .l2_bytes = 32 << 20,
                                .memory_bus_bits = 4096,
                                .clock_khz = options.clock_khz,
                                .memory_clock_khz = 1'000'000};
  set_limits(figures, options.capability);
  return {figures, true, true, true, true};
}

}  // namespace

namespace {

const std::vector<Device> &all_devices() {
  static const auto *const made = [] {
    auto *const all = new std::vector<Device>;
    const Options options = read_options();
    for (int i = 0; i < options.devices; ++i) {
      all->push_back(make_device(options));
      all->back().number = i;
    }
    return all;
  }();
  return *made;
}

}  // namespace

const Device &first_device() {
  return all_devices()[0];
}
const Device &device() {
  const std::vector<Device> &all = all_devices();
  return all.size() == 1 ? all[0] : all[static_cast<std::size_t>(runtime().current)];
}

void limit_changed(cudaLimit limit, std::size_t value) {
  if (limit == cudaLimitMallocHeapSize) runtime().device->set_heap_limit(value);
}

Module *register_module(const void *wrapper) {
  Runtime &r = runtime();
  r.modules.push_back(std::make_unique<Module>(wrapper));  // parsed when something of it is used
  return r.modules.back().get();
}
void register_managed(Variable &variable) {
  variable.module->managed.push_back(&variable);
}
void prepare_module(Module *module) {
  if (module != nullptr && !module->managed.empty()) runtime().load(*module, "a managed variable");
}

cudaError_t load(const char *call, Kernel &kernel) {
  if (const cudaError_t error = runtime().load(*kernel.module, call); error != cudaSuccess) return error;
  kernel.layout = kernel.module->layout_of(kernel.name);
  kernel.registers = kernel.layout == nullptr ? 0 : kernel.layout->registers;
  if (kernel.layout != nullptr)
    kernel.cluster = ptx::find_kernel(*kernel.module->ptx(), kernel.layout->name)->cluster;
  return cudaSuccess;
}

int ptx_version(const Kernel &kernel) {
  return kernel.module->ptx()->sm;
}

cudaError_t attribute_changed(const char *, const Kernel &kernel, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
    runtime().device->set_max_dynamic_shared(kernel.layout->name, static_cast<std::uint32_t>(value));
  return cudaSuccess;
}

}  // namespace backend
}  // namespace warpgrade::cuda

namespace {

// After the program's own exit handlers and destructors, which may still free.
__attribute__((destructor)) void finish_at_exit() {
  warpgrade::cuda::end_libraries();
  warpgrade::cuda::Runtime &r = warpgrade::cuda::runtime();
  const std::lock_guard lock(r.mutex);
  r.finish(true);
}

}  // namespace
