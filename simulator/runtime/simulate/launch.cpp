// Launches on the simulator: what they were found to do, and what the program is told of it.
#include "runtime/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "runtime/simulate/devices.hpp"
#include "runtime/simulate/faults.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

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
    if (one.code == simt::Code::out_of_bounds || one.code == simt::Code::use_after_free ||
        one.code == simt::Code::peer_access)
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
std::string hint_of(const Runtime &r, const simt::Diagnostic &d, const ptx::KernelLayout &layout,
                    std::span<const std::byte> packed) {
  for (std::size_t i = 0; i < layout.parameters.size(); ++i) {
    if (layout.parameters[i].size != 8) continue;
    Address value = 0;
    std::memcpy(&value, &packed[layout.parameters[i].offset], sizeof value);
    if (!d.buffer.empty()) {
      const Block *block = const_cast<Blocks &>(r.blocks).at(value);
      if (block == nullptr || block->name != d.buffer || block->kind == Kind::variable) continue;
      const bool unmapped = block->kind == Kind::mapped && !block->live;
      return fmt::format("{} is argument {} of the kernel{}", d.buffer, i + 1,
                         unmapped ? ", and was unmapped by cuMemUnmap" : "");
    }
    if (d.code != simt::Code::out_of_bounds || value < 1u << 20 || (value & 3) != 0) continue;
    if (const_cast<Blocks &>(r.blocks).at(value) != nullptr) continue;
    if (r.visible.is_reserved(value))
      return fmt::format(
          "argument {} of the kernel, {:#x}, is an address of cuMemAddressReserve that kernels cannot "
          "reach yet: call cuMemMap and cuMemSetAccess for the whole range first",
          i + 1, value);
    if (const auto where = host_memory_at(value))
      return fmt::format(
          "argument {} of the kernel, {:#x}, is a host pointer (it points to {}): kernels can access only "
          "memory of cudaMalloc, cudaMallocManaged or cudaMallocHost",
          i + 1, value, *where);
  }
  return {};
}

void report(Runtime &r, const simt::LaunchResult &result, const std::string &kernel,
            const ptx::KernelLayout &layout, std::span<const std::byte> packed) {
  std::map<std::tuple<simt::Code, simt::Severity, simt::SourceLine, simt::SourceLine>, int> of_place;
  for (const simt::Diagnostic &d : result.diagnostics) {
    Finding finding = finding_of(d);
    finding.ordinal =
        of_place[std::tuple(d.code, d.severity, d.here.at, d.other ? d.other->at : simt::SourceLine{})]++;
    finding.hint = hint_of(r, d, layout, packed);
    const auto add = [&finding](const std::string &more) {
      finding.hint += (finding.hint.empty() ? "" : "; ") + more;
    };
    if (r.devices.size() > 1 && (d.code == simt::Code::deadlock || d.code == simt::Code::time_limit))
      add("the simulator runs launches one after another, in the order of the calls: if the kernel waits for "
          "one "
          "that is launched later, on another device, launch that one first. Kernels of two devices that "
          "wait "
          "for each other cannot run here");
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

/// A launch that no GPU starts: said in words where it happens, with the error code that the program gets.
void report_refusal(Runtime &r, const Launch &l) {
  Finding finding;
  finding.code = "launch_error";
  finding.message = l.refusal->words;
  finding.kernel = ptx::demangle(l.kernel->layout->name);
  r.note(std::move(finding));
}

/// Whether the kernel may use memory that the host sees, and cannot tell the host how far it is: that takes a
/// fence of system scope, or a volatile or atomic access (see HostWatch).
bool may_meet_host(Module &module, const simt::Launch &launch) {
  const std::vector<std::byte> &arguments = launch.arguments;
  bool meets = !module.managed.empty();
  for (std::size_t at = 0; at + 8 <= arguments.size() && !meets; at += 8) {
    Address address = 0;
    std::memcpy(&address, arguments.data() + at, 8);
    meets = in_visible_range(address);
  }
  return meets && !module.fences_system(launch.kernel);
}

/// In the names of the kernels with which libcudadevrt copies and fills: nobody can change their code.
constexpr std::string_view device_runtime = "_cuda_device_runtime_cu_";

void add_time_of_interruption(simt::LaunchResult &result, std::chrono::steady_clock::time_point began) {
  if (result.diagnostics.empty()) return;
  const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - began;
  result.diagnostics.back().message += fmt::format("; the launch had run for {:.1f} s when signal {} came",
                                                   lasted.count(), interruption().load());
}

/// Writes the recording of a launch with a finding, after which nothing is recorded; before there is one, that
/// of the first launch.
void keep_recording(Runtime &r, const simt::LaunchResult &result) {
  if (!result.recording || result.recording->events.empty()) return;
  const std::vector<simt::RecordedEvent> &events = result.recording->events;
  const bool found = std::any_of(events.begin(), events.end(), [](const simt::RecordedEvent &e) {
    return e.kind == simt::RecordedEvent::Kind::finding;
  });
  r.journal.keep(*result.recording);
  simt::Options now = r.device->options();
  if (found)
    now.record.reset();
  else
    now.record->any = false;
  r.device->set_options(now);
}

/// One grid; what it has started is left to the caller.
simt::LaunchResult run_grid(Runtime &r, simt::Launch launch, Module &module, const std::string &name) {
  const bool meets_host =
      r.order.watches_host(r) && may_meet_host(module, launch) && r.order.is_early_launch(launch.kernel);
  launch.keeps_footprint = meets_host || r.order.watches(r);
  launch.keeps_sources = launch.keeps_footprint && r.devices.size() > 1;
  const auto began = std::chrono::steady_clock::now();
  simt::LaunchResult result = [&] {
    const LaunchInProgress in_progress;
    return r.device->launch(launch);
  }();
  keep_recording(r, result);
  if (name.find(device_runtime) != std::string::npos)
    std::erase_if(result.diagnostics,
                  [](const simt::Diagnostic &one) { return one.severity != simt::Severity::error; });
  if (result.status != simt::Status::launch_error) r.traffic.kernel(r, ptx::demangle(launch.kernel), result);
  if (launch.keeps_footprint)
    r.order.access(r, ptx::demangle(launch.kernel), std::move(result.footprint), meets_host,
                   meets_host && module.is_scoped(), std::move(result.sources));
  if (interruption() != 0) add_time_of_interruption(result, began);
  report(r, result, ptx::demangle(launch.kernel), *module.layout_of(name), launch.arguments);
  end_interrupted();
  if (result.status == simt::Status::launch_error) return result;
  r.printed += result.printed;
  r.clock += result.warp_instructions + 1;
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z *
                                launch.grid.x * launch.grid.y * launch.grid.z;
  r.journal.note_launch(ptx::demangle(name), threads, result.counters);
  r.pending = error_of(result);
  set_conditions(r, ptx::demangle(launch.kernel), result.conditions);
  return result;
}

/// Kernels that start each other for ever.
void report_endless(Runtime &r, const std::string &kernel, std::uint64_t started) {
  Finding finding;
  finding.code = "time_limit";
  finding.message = fmt::format(
      "the kernel has started {} kernels, directly or indirectly, and more are waiting; do they start each "
      "other endlessly?",
      started);
  finding.kernel = kernel;
  r.note(std::move(finding));
  r.pending = cudaErrorLaunchTimeout;
}

/// Runs the kernels that a kernel has started, each followed by those that it starts itself.
void run_children(Runtime &r, std::vector<simt::Child> children, Module &module, const std::string &parent) {
  constexpr std::uint64_t cost_of_launch = 10'000;  // in warp instructions, for the limit of all together
  std::reverse(children.begin(), children.end());   // the next one is last
  std::uint64_t spent = 0, started = 0;
  while (!children.empty() && r.pending == cudaSuccess) {
    simt::Launch next = std::move(children.back().launch);
    children.pop_back();
    const std::string name = next.kernel;
    simt::LaunchResult result = run_grid(r, std::move(next), module, name);
    if (result.status == simt::Status::launch_error) continue;
    children.insert(children.end(), std::make_move_iterator(result.children.rbegin()),
                    std::make_move_iterator(result.children.rend()));
    spent += result.warp_instructions + cost_of_launch;
    ++started;
    if (spent > r.options.instruction_budget) return report_endless(r, parent, started);
  }
}

cudaError_t run(Runtime &r, const char *call, const Launch &l) {
  if (l.error == cudaSuccess && r.pending != cudaSuccess)
    return cudaSuccess;  // the device is dead, nobody knows
  if (r.device_of(l.stream, r.current) != r.current)
    return refuse_stream_of_other_device(r, call, r.device_of(l.stream, r.current));
  if (l.error == cudaSuccess && is_captured(r, l.stream))
    return submit(r, call, l.stream,
                  KernelWork{l.function,
                             l.grid,
                             l.block,
                             l.shared,
                             l.cooperative,
                             {l.arguments.begin(), l.arguments.end()},
                             l.cluster,
                             r.current});
  if (const cudaError_t refused = submit(r, call, l.stream, EmptyWork{}); refused != cudaSuccess)
    return refused;  // the legacy stream, while another one is captured
  if (l.refusal != nullptr) {
    report_refusal(r, l);
    return l.error;
  }
  simt::Launch launch;
  launch.kernel = l.kernel->layout->name;
  launch.grid = {l.grid.x, l.grid.y, l.grid.z};
  launch.block = {l.block.x, l.block.y, l.block.z};
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(l.shared);
  launch.cooperative = l.cooperative;
  launch.cluster = {l.cluster.x, l.cluster.y, l.cluster.z};
  launch.arguments.assign(l.arguments.begin(), l.arguments.end());
  simt::LaunchResult result = run_grid(r, std::move(launch), *l.kernel->module, l.kernel->name);
  if (result.status == simt::Status::launch_error) return cudaErrorInvalidValue;
  run_children(r, std::move(result.children), *l.kernel->module, ptx::demangle(l.kernel->name));
  if (r.launch_blocking && r.pending != cudaSuccess) return r.broken = r.pending;
  return cudaSuccess;
}

}  // namespace

namespace backend {

cudaError_t before_launch(const char *, const void *, bool) {
  runtime().flush_printed();  // what earlier kernels printed appears when the next one starts
  return cudaSuccess;
}

cudaError_t launch(const char *call, const Launch &l) {
  return run(runtime(), call, l);
}

}  // namespace backend

cudaError_t launch_kernel(Runtime &r, const char *call, const KernelWork &work) {
  r.flush_printed();
  const backend::OnDevice of_node(work.device);
  const CheckedLaunch checked = check(call, {work.function, work.grid, work.block, nullptr, work.shared,
                                             nullptr, work.cooperative, work.cluster});
  if (checked.kernel == nullptr || checked.error == cudaErrorCooperativeLaunchTooLarge) return checked.error;
  return run(r, call,
             {work.function, checked.kernel, work.grid, work.block, work.shared, cudaStreamPerThread,
              work.cooperative, work.arguments, checked.refusal ? &*checked.refusal : nullptr, checked.error,
              work.cluster});
}

cudaError_t make_kernel_work(const char *call, void **arguments, KernelWork &work) {
  const CheckedLaunch checked = check(call, {work.function, work.grid, work.block, arguments, work.shared,
                                             nullptr, work.cooperative, work.cluster});
  work.device = backend::device().number;
  if (checked.error == cudaSuccess) work.arguments = pack(*checked.kernel->layout, arguments);
  return checked.error;
}

}  // namespace warpgrade::cuda
