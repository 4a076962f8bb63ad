// What can be read off a parsed module: kernels as a driver sees them, lines, and uses that rules ask about.
#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "ptx/parser.hpp"
#include "ptx/source_place.hpp"

namespace warpgrade::ptx {
namespace {

/// Calls visit for every operand, nested ones too.
template <class Visit>
void for_each_operand(const Instruction &instruction, const Visit &visit) {
  for (const Operand &operand : instruction.operands) {
    visit(operand);
    for (const Operand &element : operand.elements) visit(element);
  }
}

/// Adds the functions and variables that are named from `function` on, directly or through calls.
void collect_names(const Module &module, const Function &first, std::set<std::string> &names) {
  std::vector<const Function *> open{&first};
  while (!open.empty()) {
    const Function *function = open.back();
    open.pop_back();
    for (const Instruction &instruction : function->instructions)
      for_each_operand(instruction, [&](const Operand &operand) {
        if (operand.name.empty() || operand.kind == Operand::Kind::special ||
            !names.insert(operand.name).second)
          return;
        if (const Function *callee = find_function(module, operand.name)) open.push_back(callee);
      });
  }
}

struct Sizes {
  std::uint64_t shared = 0, local = 0;
  void add(const Variable &variable) {
    std::uint64_t &into = variable.space == Space::shared ? shared : local;
    const std::uint64_t align = std::max<std::uint32_t>(variable.align, 1);
    into = (into + align - 1) / align * align + variable.bytes;
  }
};

KernelFacts facts_of(const Module &module, const Function &function) {
  KernelFacts facts;
  facts.name = function.name;
  facts.parameters = function.parameters;
  if (!facts.parameters.empty())
    facts.argument_bytes = facts.parameters.back().offset + facts.parameters.back().size;
  facts.max_threads = function.max_threads;
  facts.cluster = function.cluster;
  facts.text_line = function.text_line;
  std::set<std::string> names{function.name};
  collect_names(module, function, names);
  Sizes sizes;
  const auto use = [&](const Variable &variable) {
    if (variable.space != Space::shared && variable.space != Space::local) return;
    if (variable.dynamic)
      facts.uses_dynamic_shared = true;
    else
      sizes.add(variable);
  };
  for (const Variable &variable : module.variables)
    if (names.count(variable.name)) use(variable);
  for (const Function &other : module.functions)
    if (names.count(other.name))
      for (const Variable &variable : other.variables) use(variable);
  facts.static_shared_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes.shared, UINT32_MAX));
  facts.local_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes.local, UINT32_MAX));
  for (const Instruction &instruction : function.instructions) {
    const SourceLine line = source_line(module, instruction.location);
    if (line.line == 0) continue;
    facts.file = line.file;
    facts.line = line.line;
    break;
  }
  return facts;
}

bool is_toolkit(std::string_view path) {
  return path.starts_with("/usr/") || path.starts_with("/opt/") ||
         path.find("linux/include/") != std::string_view::npos ||
         path.find("/cuda/include/") != std::string_view::npos;
}

/// Every instruction for which `matches` says so, each opcode once.
template <class Matches>
std::vector<Use> uses(const Module &module, const Matches &matches) {
  std::vector<Use> found;
  std::set<std::string> seen;
  for (const Function &function : module.functions)
    for (const Instruction &instruction : function.instructions) {
      const std::string what = matches(instruction);
      if (what.empty() || !seen.insert(what).second) continue;
      const SourceLine at = source_line(module, instruction.location);
      found.push_back({what, at.file, at.line});
    }
  return found;
}

bool has_part(std::string_view opcode, std::string_view part) {
  for (std::size_t at = opcode.find(part); at != std::string_view::npos; at = opcode.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if (at > 0 && opcode[at - 1] == '.' && (end == opcode.size() || opcode[end] == '.')) return true;
  }
  return false;
}

constexpr std::size_t max_mangled = 512;
constexpr int max_substitutions = 24;

/// Substitutions ("S3_", "T0_") stand for what came before, so that a short name can be exponentially long
/// once it is written out.
bool may_explode(std::string_view mangled) {
  int substitutions = 0;
  for (std::size_t i = 0; i + 1 < mangled.size(); ++i) {
    if (mangled[i] != 'S' && mangled[i] != 'T') continue;
    std::size_t end = i + 1;
    while (end < mangled.size() &&
           ((mangled[end] >= '0' && mangled[end] <= '9') || (mangled[end] >= 'A' && mangled[end] <= 'Z')))
      ++end;
    if (end < mangled.size() && mangled[end] == '_') ++substitutions;
  }
  return mangled.size() > max_mangled || substitutions > max_substitutions;
}

bool is_tensor_core(std::string_view opcode) {
  for (const std::string_view stem :
       {"wmma.", "mma.", "wgmma.", "tcgen05.", "ldmatrix.", "stmatrix.", "movmatrix."})
    if (opcode.starts_with(stem)) return true;
  return false;
}

}  // namespace

Module parse(std::string_view text) {
  if (text.size() > 64u << 20) throw ParseError(1, "more than 64 MiB of text");
  Module module = Parser(text).parse();
  collect_kernels(module);
  return module;
}

void collect_kernels(Module &module) {
  module.kernels.clear();
  for (const Function &function : module.functions)
    if (function.entry && function.defined) module.kernels.push_back(facts_of(module, function));
}

const KernelFacts *find_kernel(const Module &module, std::string_view name) {
  for (const KernelFacts &kernel : module.kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

const Function *find_function(const Module &module, std::string_view name) {
  const Function *declared = nullptr;
  for (const Function &function : module.functions)
    if (function.name == name) {
      if (function.defined) return &function;
      declared = &function;
    }
  return declared;
}

SourceLine source_line(const Module &module, std::int32_t location) {
  SourceLine innermost;
  for (int depth = 0; location >= 0 && depth < 64; ++depth) {
    const Location &at = module.locations[static_cast<std::size_t>(location)];
    const auto file = static_cast<std::size_t>(at.file);
    const std::string_view path =
        file < module.files.size() ? std::string_view(module.files[file]) : std::string_view();
    const std::string_view base = path.substr(path.rfind('/') + 1);
    if (depth == 0) innermost = {std::string(base), at.line};
    if (!path.empty() && !is_toolkit(path)) return {std::string(base), at.line};
    location = at.inlined_at;
  }
  return innermost;
}

std::int32_t user_location(const Module &module, std::int32_t location) {
  for (int depth = 0; location >= 0 && depth < 64; ++depth) {
    const Location &at = module.locations[static_cast<std::size_t>(location)];
    const auto file = static_cast<std::size_t>(at.file);
    if (file < module.files.size() && !module.files[file].empty() && !is_toolkit(module.files[file]))
      return location;
    location = at.inlined_at;
  }
  return -1;
}

bool is_toolkit_code(const Module &module, std::int32_t location) {
  if (location < 0) return false;
  for (int depth = 0; location >= 0 && depth < 64; ++depth) {
    const Location &at = module.locations[static_cast<std::size_t>(location)];
    const auto file = static_cast<std::size_t>(at.file);
    if (file >= module.files.size() || !is_toolkit(module.files[file])) return false;
    location = at.inlined_at;
  }
  return true;
}

bool is_inlined_from(const Module &module, std::int32_t location, std::string_view part_of_path) {
  for (int depth = 0; location >= 0 && depth < 64; ++depth) {
    const Location &at = module.locations[static_cast<std::size_t>(location)];
    const auto file = static_cast<std::size_t>(at.file);
    if (file < module.files.size() && module.files[file].find(part_of_path) != std::string::npos) return true;
    location = at.inlined_at;
  }
  return false;
}

namespace {

/// The first number of a line behind `directive`, and what follows it; nothing on any other line.
std::optional<std::pair<int, std::string_view>> numbered(std::string_view line, std::string_view directive) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with(directive)) return std::nullopt;
  line.remove_prefix(directive.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  int number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return std::nullopt;
  return {{number, line.substr(static_cast<std::size_t>(end - line.data()))}};
}

}  // namespace

SourceLine source_line_before(std::string_view text, int text_line) {
  std::map<int, std::string_view> files;             // names of .file, which may stand at the end
  std::vector<std::pair<int, std::string_view>> at;  // .loc before the line, in order
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view words = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const auto location = line < text_line ? numbered(words, ".loc") : std::nullopt)
      at.push_back(*location);
    if (const auto file = numbered(words, ".file")) {
      const std::size_t open = file->second.find('"'), close = file->second.rfind('"');
      if (open < close && close != std::string_view::npos)
        files.emplace(file->first, file->second.substr(open + 1, close - open - 1));
    }
  }
  for (auto location = at.rbegin(); location != at.rend(); ++location) {
    const auto file = files.find(location->first);
    if (file == files.end() || is_toolkit(file->second)) continue;
    int line = 0;
    const std::string_view rest = location->second;
    const std::size_t digits = std::min(rest.find_first_not_of(" \t"), rest.size());
    std::from_chars(rest.data() + digits, rest.data() + rest.size(), line);
    return {std::string(file->second.substr(file->second.rfind('/') + 1)), line};
  }
  return {};
}

std::string demangle(const std::string &mangled) {
  // A name is written into every finding, and a short one can be demangled to megabytes.
  const auto cut = [](std::string_view name) {
    return std::string(name.substr(0, max_mangled)) + (name.size() > max_mangled ? "..." : "");
  };
  if (!mangled.starts_with("_Z")) return cut(mangled);  // else a variable `d` would be called "double"
  if (may_explode(mangled)) return cut(mangled);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text) return cut(mangled);
  // a template's demangled name starts with its result type: "void tile<0>(float*)"
  std::string_view name = text.get();
  if (name.starts_with("void ")) name.remove_prefix(5);
  return cut(name);
}

std::vector<Use> tensor_core_uses(const Module &module) {
  return uses(module, [](const Instruction &instruction) -> std::string {
    if (!is_tensor_core(instruction.opcode)) return {};
    return instruction.opcode.substr(0, instruction.opcode.find('.', instruction.opcode.find('.') + 1));
  });
}

std::vector<Use> low_precision_uses(const Module &module) {
  return uses(module, [](const Instruction &instruction) -> std::string {
    const std::string &opcode = instruction.opcode;
    if (is_tensor_core(opcode)) return opcode;
    for (const std::string_view type : {"f16", "f16x2", "bf16", "bf16x2", "tf32", "e4m3", "e5m2", "e4m3x2",
                                        "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2"})
      if (has_part(opcode, type)) return opcode;
    return {};
  });
}

std::vector<Use> atomic_uses(const Module &module) {
  return uses(module, [](const Instruction &instruction) -> std::string {
    const std::string &opcode = instruction.opcode;
    for (const std::string_view atomic : {"atom.", "red.", "cp.reduce.", "multimem.red."})
      if (opcode.starts_with(atomic)) return opcode;
    return {};
  });
}

std::vector<Use> device_launch_or_malloc_uses(const Module &module) {
  return uses(module, [](const Instruction &instruction) -> std::string {
    if (!instruction.opcode.starts_with("call")) return {};
    for (const Operand &operand : instruction.operands)
      if (operand.kind == Operand::Kind::symbol &&
          (operand.name == "malloc" || operand.name == "free" ||
           operand.name.starts_with("cudaLaunchDevice") ||
           operand.name.starts_with("cudaGetParameterBuffer") || operand.name.starts_with("cudaCDP") ||
           operand.name.starts_with("__cudaCDP") || operand.name.starts_with("cudaMalloc")))
        return operand.name;
    return {};
  });
}

std::vector<Use> cache_hint_uses(const Module &module) {
  return uses(module, [](const Instruction &instruction) -> std::string {
    const std::string &opcode = instruction.opcode;
    if (opcode.starts_with("createpolicy") || opcode.starts_with("prefetch") ||
        opcode.starts_with("applypriority") || opcode.starts_with("discard") ||
        opcode.find("evict_") != std::string::npos || opcode.find("cache_hint") != std::string::npos ||
        opcode.find("L2::") != std::string::npos)
      return opcode;
    return {};
  });
}

}  // namespace warpgrade::ptx
