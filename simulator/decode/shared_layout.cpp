// Shared memory of a kernel: which variables it has, and where.
#include <algorithm>
#include <set>

#include "decode/row_layout.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t max_shared_bytes = 8u << 20;

std::uint32_t aligned(std::uint64_t value, std::uint64_t align) {
  return static_cast<std::uint32_t>((value + align - 1) / align * align);
}

/// "As" of "_ZZ4tilePfE2As": a variable inside a function, as the student wrote it.
std::string plain_name(const std::string &mangled) {
  const std::string name = ptx::demangle(mangled);
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::set<std::string> names_used(const std::vector<const ptx::Function *> &functions) {
  std::set<std::string> names;
  for (const ptx::Function *function : functions)
    for (const ptx::Instruction &instruction : function->instructions)
      for (const ptx::Operand &operand : instruction.operands) {
        if (!operand.name.empty()) names.insert(operand.name);
        for (const ptx::Operand &element : operand.elements)
          if (!element.name.empty()) names.insert(element.name);
      }
  return names;
}

}  // namespace

SharedLayout lay_out_shared(const ptx::Module &module, const std::vector<const ptx::Function *> &functions) {
  SharedLayout made;
  const std::set<std::string> used = names_used(functions);
  std::uint64_t at = shared_start, plain = 0, dynamic_align = 16;
  std::vector<std::pair<std::string, std::string>> dynamic;
  const auto place = [&](const ptx::Variable &variable, const std::string &scope) {
    if (variable.space != ptx::Space::shared || !used.count(variable.name)) return;
    const std::uint64_t align = std::max<std::uint32_t>(variable.align, 1);
    if (variable.dynamic) {
      dynamic.push_back({scope + "\n" + variable.name, variable.name});
      dynamic_align = std::max(dynamic_align, align);
      return;
    }
    // Laid out as the hardware would, then shifted by whole rounds of banks: bank numbers stay the same.
    const std::uint64_t natural = (plain + align - 1) / align * align;
    at = aligned(at + shared_red_zone, 128) + (natural & 127);
    if (align > 128) at = aligned(at, align);
    plain = natural + variable.bytes;
    made.offsets[scope + "\n" + variable.name] = static_cast<std::uint32_t>(at);
    made.variables.push_back({plain_name(variable.name), static_cast<std::uint32_t>(at),
                              static_cast<std::uint32_t>(variable.bytes), false});
    at += variable.bytes;
    if (plain > max_shared_bytes) throw Unsupported("too much shared memory");
  };
  for (const ptx::Variable &variable : module.variables) place(variable, "");
  for (const ptx::Function *function : functions)
    for (const ptx::Variable &variable : function->variables) place(variable, function->name);
  const std::uint64_t natural = (plain + dynamic_align - 1) / dynamic_align * dynamic_align;
  at = made.variables.empty() ? shared_start : aligned(at + shared_red_zone, 128) + (natural & 127);
  if (dynamic_align > 128) at = aligned(at, dynamic_align);
  made.end = static_cast<std::uint32_t>(at);
  made.bytes = static_cast<std::uint32_t>(plain);
  for (const auto &[key, name] : dynamic) made.offsets[key] = made.end;
  if (!dynamic.empty()) made.variables.push_back({plain_name(dynamic.front().second), made.end, 0, true});
  return made;
}

}  // namespace warpgrade::simt
