#include "judge/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <string_view>

namespace warpgrade::judge {

namespace {

Finding broken(const std::string &file, int line, std::string message) {
  return {"rule_violation", "error", file, line, std::move(message), 1};
}

void add_uses(std::vector<Finding> &found, const std::vector<ptx::Use> &uses, const char *what) {
  for (const ptx::Use &use : uses)
    found.push_back(broken(use.file, use.line, fmt::format("{}: the code contains {}", what, use.what)));
}

/// The first __constant__ variable that device memory is copied to, or that a kernel gets a pointer to; or
/// "". What the host copies there is harmless: it knows no element of the matrices.
std::string filled_constant(const ptx::Module &module, const plan::LaunchPlan &plan) {
  const auto constant = [&](std::uint32_t buffer) {
    const plan::Buffer &b = plan.buffers.at(buffer);
    return b.owner == plan::Owner::module &&
           std::any_of(module.variables.begin(), module.variables.end(), [&](const ptx::Variable &v) {
             return v.name == b.name && v.space == ptx::Space::constant;
           });
  };
  for (const plan::Operation &operation : plan.operations) {
    if (const auto *copy = std::get_if<plan::CopyWithin>(&operation); copy && constant(copy->to.buffer))
      return plan.buffers[copy->to.buffer].name;
    if (const auto *launch = std::get_if<plan::Launch>(&operation))
      for (const plan::PointerArgument &p : launch->pointers)
        if (constant(p.to.buffer)) return plan.buffers[p.to.buffer].name;
  }
  return "";
}

/// Each function once.
void add_machine_code_uses(std::vector<Finding> &found, const ptx::Module &module,
                           const std::vector<ptx::MachineCode> &machine_code) {
  for (const ptx::MachineCode &function : machine_code)
    for (const std::uint16_t operation : function.operations) {
      const std::string_view name = ptx::tensor_core_operation(function.sm, operation);
      if (name.empty()) continue;
      const ptx::KernelFacts *kernel = ptx::find_kernel(module, function.function);
      found.push_back(broken(
          kernel ? kernel->file : "", kernel ? kernel->line : 0,
          fmt::format(
              "tensor cores are not allowed in this step: the machine code of {} for sm_{} contains {}",
              ptx::demangle(function.function), function.sm, name)));
      break;
    }
}

}  // namespace

std::vector<Finding> check_code_rules(const course::Rules &rules, const ptx::Module &module,
                                      const std::vector<ptx::MachineCode> &machine_code,
                                      const std::vector<std::string> &launched) {
  std::vector<Finding> found;
  if (rules.tensor_cores_forbidden) {
    add_uses(found, ptx::tensor_core_uses(module), "tensor cores are not allowed in this step");
    // What the PTX shows has a line; the machine code is asked where the PTX shows nothing.
    if (found.empty()) add_machine_code_uses(found, module, machine_code);
  }
  if (rules.low_precision_forbidden)
    add_uses(found, ptx::low_precision_uses(module), "this step computes in single precision");
  if (rules.atomics_forbidden)
    add_uses(found, ptx::atomic_uses(module), "atomic operations are not allowed in this step");
  if (rules.static_shared_bytes)
    for (const ptx::KernelFacts &k : module.kernels) {
      const bool used = std::find(launched.begin(), launched.end(), k.name) != launched.end();
      if (used && k.static_shared_bytes > *rules.static_shared_bytes)
        found.push_back(
            broken(k.file, k.line,
                   fmt::format("{} declares {} bytes of shared memory, at most {} are allowed",
                               ptx::demangle(k.name), k.static_shared_bytes, *rules.static_shared_bytes)));
    }
  return found;
}

std::vector<Finding> check_plan_rules(const course::Rules &rules, const ptx::Module &module,
                                      const plan::LaunchPlan &plan) {
  std::vector<Finding> found;
  if (rules.shared_memory == course::Permission::free) return found;
  if (const std::string filled = filled_constant(module, plan); !filled.empty()) {
    found.push_back(
        broken("", 0,
               fmt::format("{} in constant memory is filled from device memory; in this step tiles "
                           "{}",
                           ptx::demangle(filled),
                           rules.shared_memory == course::Permission::required ? "belong in shared memory"
                                                                               : "are not allowed")));
    return found;
  }
  bool any = false;
  for (const plan::Operation &operation : plan.operations) {
    const auto *launch = std::get_if<plan::Launch>(&operation);
    if (!launch) continue;
    const ptx::KernelFacts *k = ptx::find_kernel(module, launch->kernel);
    if (!k) continue;
    const std::uint64_t bytes = std::uint64_t{k->static_shared_bytes} + launch->dynamic_shared_bytes;
    if (bytes == 0) continue;
    any = true;
    if (rules.shared_memory == course::Permission::forbidden) {
      found.push_back(broken(k->file, k->line,
                             fmt::format("this step must not use shared memory; {} uses {} bytes per block",
                                         ptx::demangle(k->name), bytes)));
      return found;
    }
  }
  if (rules.shared_memory == course::Permission::required && !any)
    found.push_back(broken("", 0, "this step must use shared memory; no launched kernel does"));
  return found;
}

namespace {

constexpr double least_share = 0.05;  // of the work; kernels below it, all together, are helpers

}  // namespace

double threads_of(const plan::LaunchPlan &plan, const std::set<std::string> &idle) {
  double threads = 0;
  for (const plan::Operation &operation : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&operation); launch && !idle.contains(launch->kernel))
      threads += static_cast<double>(launch->grid.count()) * static_cast<double>(launch->block.count());
  return threads;
}

Workers workers_of(const plan::LaunchPlan &plan, const std::vector<std::uint64_t> &launch_flops,
                   double useful_flops) {
  std::map<std::string, double> flops;
  std::size_t next = 0;
  for (const plan::Operation &operation : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&operation); launch && next < launch_flops.size())
      flops[launch->kernel] += static_cast<double>(launch_flops[next++]);
  std::vector<std::pair<double, std::string>> ascending;
  for (const auto &[kernel, count] : flops) ascending.emplace_back(count, kernel);
  std::sort(ascending.begin(), ascending.end());
  // Held against what the problem needs and not against what was executed: idle arithmetic in one kernel
  // cannot make a helper of another.
  Workers workers;
  double left_out = 0;
  for (const auto &[count, kernel] : ascending) {
    left_out += count;
    if (left_out > least_share * useful_flops) break;
    workers.idle.insert(kernel);
  }
  workers.threads = threads_of(plan, workers.idle);
  if (workers.threads == 0) workers = {threads_of(plan, {}), {}};
  return workers;
}

std::vector<Finding> check_shared_traffic(const course::Rules &rules, const simt::Counters &counted,
                                          double least_bytes, const std::string &case_name) {
  if (rules.shared_memory != course::Permission::required) return {};
  // Reads alone: asynchronous copies and atomics write without a store.
  const auto loaded = static_cast<double>(counted.shared_load.bytes);
  if (loaded >= least_bytes) return {};
  return {broken("", 0,
                 fmt::format("this step must use shared memory; at {} the kernels read {:.0f} bytes from it, "
                             "but the tiles of the problem need at least {:.0f}",
                             case_name, loaded, least_bytes))};
}

std::vector<Finding> check_outputs_per_thread(double at_least, double threads, std::uint64_t outputs,
                                              const std::string &case_name) {
  if (threads == 0) return {};
  const double each = static_cast<double>(outputs) / threads;
  if (each >= at_least) return {};
  return {broken("", 0,
                 fmt::format("each thread must compute at least {:g} results; at {} it computes {:.3g} "
                             "({:.0f} threads for {} results)",
                             at_least, case_name, each, threads, outputs))};
}

std::vector<Finding> remarks(const ptx::Module &module, const std::vector<ptx::MachineCode> &machine_code) {
  std::vector<Finding> found;
  for (const ptx::Use &use : ptx::cache_hint_uses(module))
    found.push_back(
        {"cache_hint", "info", use.file, use.line,
         fmt::format("{} is a hint to the caches; timed runs start with caches flushed", use.what), 1});
  for (const ptx::Use &use : ptx::device_launch_or_malloc_uses(module))
    found.push_back({"device_allocation", "info", use.file, use.line,
                     fmt::format("{} works on the device heap, which is reset before each run", use.what),
                     1});
  for (const ptx::MachineCode &function : machine_code)
    if (!ptx::instruction_layout_is_known(function.sm)) {
      found.push_back(
          {"machine_code", "info", "", 0,
           fmt::format(
               "this grader does not know machine code for sm_{}: it looked for tensor cores only in the PTX",
               function.sm),
           1});
      break;
    }
  return found;
}

namespace {

/// The first instruction that names a variable.
ptx::SourceLine first_use(const ptx::Module &module, const std::string &variable) {
  for (const ptx::Function &function : module.functions)
    for (const ptx::Instruction &instruction : function.instructions)
      for (const ptx::Operand &operand : instruction.operands)
        if (operand.name == variable) return ptx::source_line(module, instruction.location);
  return {};
}

/// Whether "__device__", or "__host__ __device__", follows a bracket somewhere. The text may be hostile.
bool marks_a_lambda(std::string_view text) {
  constexpr std::string_view device = "__device__", both = "__host__";
  for (std::size_t at = text.find(device); at != std::string_view::npos; at = text.find(device, at + 1)) {
    const auto before = [&](std::size_t end) {
      while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
      return text.substr(0, end);
    };
    std::string_view ahead = before(at);
    if (ahead.ends_with(both)) ahead = before(ahead.size() - both.size());
    if (ahead.ends_with(']')) return true;
  }
  return false;
}

}  // namespace

std::vector<Finding> refused_by_nvcc(const ptx::Module &module, const std::string &source) {
  static const std::regex lambda("Ul\\w*?E\\d*_");
  constexpr std::string_view local = "__const_$", host = "_$_const";  // of clang's names for constants
  constexpr std::size_t longest_read = 200;                           // of a name, which may be hostile
  std::vector<Finding> found;
  const bool marks = marks_a_lambda(source);
  for (const ptx::KernelFacts &k : module.kernels)
    if (!marks && std::regex_search(k.name.substr(0, longest_read), lambda)) {
      found.push_back({"refused_by_nvcc", "warning", k.file, k.line,
                       "clang accepts any lambda as an argument of a kernel, nvcc only one marked "
                       "__device__, as in [=] __device__ (int i) { ... }",
                       1});
      break;
    }
  for (const ptx::Variable &v : module.variables)
    if (v.name.ends_with(host) && !v.name.starts_with(local)) {
      const ptx::SourceLine at = first_use(module, v.name);
      found.push_back(
          {"refused_by_nvcc", "warning", at.file, at.line,
           fmt::format(
               "threads read the constexpr array {} of the host: clang accepts this, nvcc refuses it; "
               "declare it __constant__, or in the kernel",
               ptx::demangle(v.name.substr(0, v.name.size() - host.size()))),
           1});
    }
  return found;
}

}  // namespace warpgrade::judge
