#include "judge/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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
      found.push_back(
          broken(k->file, k->line,
                 fmt::format("this step is to work without shared memory; {} uses {} bytes a block",
                             ptx::demangle(k->name), bytes)));
      return found;
    }
  }
  if (rules.shared_memory == course::Permission::required && !any)
    found.push_back(broken("", 0, "this step is to use shared memory; no launched kernel does"));
  return found;
}

namespace {

double most_threads(const plan::LaunchPlan &plan) {
  double threads = 0;
  for (const plan::Operation &operation : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&operation))
      threads = std::max(
          threads, static_cast<double>(launch->grid.count()) * static_cast<double>(launch->block.count()));
  return threads;
}

}  // namespace

double outputs_per_thread(const plan::LaunchPlan &plan, std::uint64_t outputs) {
  const double threads = most_threads(plan);
  return threads == 0 ? 0 : static_cast<double>(outputs) / threads;
}

std::vector<Finding> check_outputs_per_thread(const course::Rules::OutputsPerThread &rule,
                                              const plan::LaunchPlan &plan, std::uint64_t outputs,
                                              const std::string &case_name) {
  const double each = outputs_per_thread(plan, outputs);
  if (each == 0 || each >= rule.at_least) return {};
  return {
      broken("", 0,
             fmt::format(
                 "each thread is to compute at least {:g} results; at {} it is {:.3g} ({:.0f} threads for {} "
                 "results)",
                 rule.at_least, case_name, each, most_threads(plan), outputs))};
}

std::vector<Finding> remarks(const ptx::Module &module, const std::vector<ptx::MachineCode> &machine_code) {
  std::vector<Finding> found;
  for (const ptx::Use &use : ptx::cache_hint_uses(module))
    found.push_back(
        {"cache_hint", "info", use.file, use.line,
         fmt::format("{} is a hint to the caches; timed runs start with caches flushed", use.what), 1});
  for (const ptx::Use &use : ptx::device_launch_or_malloc_uses(module))
    found.push_back({"device_allocation", "info", use.file, use.line,
                     fmt::format("{} works on the device heap, which is empty again at every run", use.what),
                     1});
  for (const ptx::MachineCode &function : machine_code)
    if (!ptx::instruction_layout_is_known(function.sm)) {
      found.push_back(
          {"machine_code", "info", "", 0,
           fmt::format("machine code for sm_{} is not known to this grader: tensor cores were looked "
                       "for in the PTX alone",
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
      found.push_back(
          {"refused_by_nvcc", "warning", k.file, k.line,
           "a lambda is an argument of this kernel: clang takes any, nvcc only one that is marked "
           "__device__, as in [=] __device__ (int i) { ... }",
           1});
      break;
    }
  for (const ptx::Variable &v : module.variables)
    if (v.name.ends_with(host) && !v.name.starts_with(local)) {
      const ptx::SourceLine at = first_use(module, v.name);
      found.push_back(
          {"refused_by_nvcc", "warning", at.file, at.line,
           fmt::format("threads read the constexpr array {} of the host: clang takes that, nvcc refuses it; "
                       "declare it __constant__, or in the kernel",
                       ptx::demangle(v.name.substr(0, v.name.size() - host.size()))),
           1});
    }
  return found;
}

}  // namespace warpgrade::judge
