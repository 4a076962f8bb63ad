// Which memory a kernel may write, read off its text: the parameters and variables that the addresses of its
// stores are made of. The checks of global memory watch what those point to.
#include <algorithm>
#include <map>
#include <set>

#include "decode/decoder.hpp"

namespace warpgrade::simt {
namespace {

using Sources = std::set<std::pair<std::uint32_t, std::string>>;  // offset of a parameter, or a variable

/// Where the values of 64-bit registers come from. Flow does not matter: a register has all sources of all
/// its definitions.
class Origins {
 public:
  Origins(const ptx::Module &module, const ptx::Function &function)
      : module_(module), function_(function), of_(function.registers.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Instruction &instruction : function.instructions) changed |= follow(instruction);
    }
  }

  Sources address(const ptx::Operand &operand) const {
    if (operand.reg >= 0) return of_[static_cast<std::size_t>(operand.reg)];
    return named(operand.name);
  }

 private:
  Sources named(const std::string &name) const {
    for (const ptx::Variable &variable : module_.variables)
      if (variable.name == name && variable.space == ptx::Space::global) return {{0, name}};
    return {};
  }

  bool is_wide(std::int32_t reg) const {
    return reg >= 0 && ptx::size_of(function_.registers[static_cast<std::size_t>(reg)].type) == 8;
  }

  bool follow(const ptx::Instruction &instruction) {
    const std::string_view opcode = instruction.opcode;
    if (instruction.operands.size() < 2 || opcode.starts_with("st") || opcode.starts_with("red") ||
        opcode.starts_with("wmma.store"))
      return false;
    const ptx::Operand &to = instruction.operands[0];
    const auto element_is_wide = [this](const ptx::Operand &element) { return is_wide(element.reg); };
    if (!is_wide(to.reg) && std::none_of(to.elements.begin(), to.elements.end(), element_is_wide))
      return false;
    Sources from;
    if (opcode.starts_with("ld.param")) {
      from = parameter(instruction.operands[1]);
    } else if (opcode.starts_with("ld") || opcode.starts_with("atom") || opcode.starts_with("shfl")) {
      from = {{UINT32_MAX, ""}};  // from memory: anything
    } else {
      for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
        const ptx::Operand &operand = instruction.operands[i];
        if (operand.kind == ptx::Operand::Kind::symbol) from.merge(named(operand.name));
        if (is_wide(operand.reg)) from.merge(Sources(of_[static_cast<std::size_t>(operand.reg)]));
        for (const ptx::Operand &element : operand.elements)
          if (element.kind == ptx::Operand::Kind::reg) from.insert({UINT32_MAX, ""});  // put together by hand
      }
    }
    bool changed = false;
    const auto into = [&](std::int32_t reg) {
      if (!is_wide(reg)) return;
      Sources &known = of_[static_cast<std::size_t>(reg)];
      const std::size_t before = known.size();
      known.insert(from.begin(), from.end());
      changed |= known.size() != before;
    };
    into(to.reg);
    for (const ptx::Operand &element : to.elements) into(element.reg);
    return changed;
  }

  Sources parameter(const ptx::Operand &operand) const {
    if (function_.entry && operand.reg < 0)
      for (const ptx::Parameter &one : function_.parameters)
        if (one.name == operand.name) return {{one.offset + static_cast<std::uint32_t>(operand.value), ""}};
    return {{UINT32_MAX, ""}};
  }

  const ptx::Module &module_;
  const ptx::Function &function_;
  std::vector<Sources> of_;
};

bool writes_global(const Opcode &o) {
  if (o.is(Family::copy)) return o.has("bulk") && o.has("bulk_group");  // to global memory
  const bool fragment = o.base == "wmma" && o.has("store");
  if (!o.is(Family::store, Family::atomic, Family::reduction) && !fragment) return false;
  for (const std::string_view part : o.parts)
    if (part.starts_with("shared") || part.starts_with("local") || part.starts_with("param")) return false;
  return true;
}

}  // namespace

void Decoder::find_written() {
  Sources all;
  for (const ptx::Function *function : functions_) {
    const bool is_kernel = function == kernel_;
    std::unique_ptr<Origins> origins;
    for (const Instruction &instruction : function->instructions) {
      const Opcode o(instruction.opcode);
      if (!writes_global(o) || instruction.operands.empty()) continue;
      if (is_kernel && !origins) origins = std::make_unique<Origins>(*module_, *function);
      if (o.is(Family::copy) && o.has("tensor")) {  // only the tensor map knows the destination
        program_->writes_anything = true;
        continue;
      }
      const std::size_t at = o.is(Family::atomic) ? 1 : 0;
      if (at >= instruction.operands.size()) continue;
      if (is_kernel)
        all.merge(origins->address(instruction.operands[at]));
      else
        program_->writes_anything = true;  // a pointer came as the argument of a call
    }
  }
  for (const auto &[offset, symbol] : all) {
    if (offset == UINT32_MAX)
      program_->writes_anything = true;
    else
      program_->written.push_back({offset, symbol});
  }
}

}  // namespace warpgrade::simt
