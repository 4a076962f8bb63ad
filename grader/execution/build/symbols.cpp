#include "build/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/fatbin.hpp"
#include "ptx/source_place.hpp"

namespace warpgrade::build {
namespace {

constexpr std::size_t longest_name = 512;  // a longer mangled name is nothing that a person would read

bool is_function(char type) {
  return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

// The plain name of a function in a mangled symbol: "step3" of "_Z5step3i". Namespaces and templates do not
// matter.
bool names(const std::string &mangled, const std::string &entry) {
  if (mangled.find("__device_stub__") != std::string::npos) return false;
  const std::string plain = std::to_string(entry.size()) + entry;
  return mangled == entry || (mangled.starts_with("_Z") && mangled.find(plain) != std::string::npos);
}

}  // namespace

Symbols read_symbols(std::string_view nm) {
  Symbols symbols;
  while (!nm.empty()) {
    const std::size_t end = nm.find('\n');
    const std::string_view line = nm.substr(0, end);
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos && blank + 1 < line.size()) {
      symbols.push_back({std::string(line.substr(0, blank)), line[blank + 1]});
    }
    if (end == std::string_view::npos) break;
    nm.remove_prefix(end + 1);
  }
  return symbols;
}

bool defines(const Symbols &symbols, std::string_view function) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Symbol &s) { return s.name == function && (s.type == 'T' || s.type == 'W'); });
}

std::string missing_entry(const Symbols &symbols, const std::string &file, const std::string &entry,
                          const std::string &declaration) {
  std::string message = fmt::format("{} defines no function `{}`.", file, declaration);
  std::string similar;
  for (const Symbol &symbol : symbols) {
    if (!is_function(symbol.type) || symbol.name.size() > longest_name || !names(symbol.name, entry))
      continue;
    const bool hidden = symbol.type == 't';
    similar += fmt::format("{}`{}`{}", similar.empty() ? "" : ", ", ptx::demangle(symbol.name),
                           hidden ? " (static)" : "");
  }
  if (similar.empty()) return message + " Is it named differently, or inside a comment or an #if?";
  return message + " It defines " + similar +
         ": name, parameters and linkage must be as in the course header.";
}

void read_device_code(Build &build, const std::string &file, const std::string &arch, const Limits &limits) {
  const auto fail = [&](Reason reason, const std::string &message) {
    build.ok = false;
    build.reason = reason;
    build.message = message;
  };
  std::string_view text;
  std::vector<ptx::Image> images;
  try {
    images = ptx::read_fatbin(build.fatbin);
    const auto image = std::find_if(images.begin(), images.end(),
                                    [](const ptx::Image &i) { return i.kind == ptx::Image::Kind::ptx; });
    if (image == images.end()) return fail(Reason::no_ptx, "the device code contains no PTX for " + arch);
    text = {reinterpret_cast<const char *>(image->bytes.data()), image->bytes.size()};
    build.module = ptx::parse(text);
    build.machine_code.clear();
    for (const ptx::Image &i : images) {
      if (i.kind != ptx::Image::Kind::elf) continue;
      for (ptx::MachineCode &function : ptx::read_machine_code(i))
        build.machine_code.push_back(std::move(function));
    }
  } catch (const ptx::ParseError &e) {
    // Inline assembly, assembly names and #line put a student's text into the PTX as it is.
    fail(Reason::compile_error, file +
                                    " compiles to device code that cannot be read. Is its inline assembly " +
                                    "PTX? If it has none, tell the course staff.");
    const ptx::SourceLine at = ptx::source_line_before(text, e.line());
    build.log += at.line > 0 ? fmt::format("{}:{}: error: {}\n", at.file, at.line, e.what())
                             : fmt::format("{}: error: {}\n", file, e.what());
    return;
  } catch (const std::runtime_error &e) {
    return fail(Reason::our_failure, std::string("the compiler's device code cannot be read: ") + e.what());
  }
  build.kernels.clear();
  build.variables.clear();
  build.static_shared_bytes = 0;
  for (const ptx::KernelFacts &facts : build.module.kernels) {
    plan::KernelLayout layout;
    layout.name = facts.name;
    layout.argument_bytes = facts.argument_bytes;
    for (const ptx::Parameter &p : facts.parameters) layout.parameters.push_back({p.offset, p.size});
    layout.static_shared_bytes = facts.static_shared_bytes;
    layout.local_bytes = facts.local_bytes;
    layout.registers = static_cast<std::uint32_t>(build.registers.value_or(0));
    layout.max_threads = facts.max_threads;
    layout.cluster = facts.cluster;
    build.static_shared_bytes = std::max<std::uint64_t>(build.static_shared_bytes, facts.static_shared_bytes);
    build.kernels.push_back(std::move(layout));
  }
  std::uint64_t variable_bytes = 0;
  for (const ptx::Variable &variable : build.module.variables) {
    const bool addressable = variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    if (!addressable || variable.external || variable.bytes == 0) continue;
    if (__builtin_add_overflow(variable_bytes, variable.bytes, &variable_bytes) ||
        variable_bytes > limits.device_variable_bytes) {
      return fail(Reason::limit, fmt::format("the device code has more than {} MiB of variables",
                                             limits.device_variable_bytes >> 20));
    }
    build.variables.push_back({plan::Owner::module, variable.name, variable.bytes});
  }
}

}  // namespace warpgrade::build
