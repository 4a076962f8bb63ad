#include "ptx/disturb.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace warpgrade::ptx {

namespace {

bool is_load(std::string_view opcode) {
  return opcode.starts_with("ld.") || opcode.starts_with("ldmatrix.") || opcode.starts_with("wmma.load.");
}

bool is_store(std::string_view opcode) {
  return opcode.starts_with("st.") || opcode.starts_with("stmatrix.") || opcode.starts_with("wmma.store.");
}

bool is_access(const Instruction &instruction) {
  const std::string_view opcode = instruction.opcode;
  if (!is_load(opcode) && !is_store(opcode)) return false;
  for (const std::string_view other : {".param", ".local", ".const"})
    if (opcode.find(other) != std::string_view::npos) return false;
  return instruction.operands.size() >= 2;
}

bool is_group_product(std::string_view opcode) {
  return opcode.starts_with("wgmma.mma_async.");
}

bool is_product(std::string_view opcode) {
  return opcode.starts_with("mma.") || opcode.starts_with("wmma.mma.") || is_group_product(opcode);
}

template <class Matches>
std::vector<Place> places(const Module &module, const Matches &matches) {
  std::vector<Place> all;
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    for (std::size_t i = 0; i < module.functions[f].instructions.size(); ++i)
      if (matches(module.functions[f].instructions[i])) all.push_back({f, i});
  return all;
}

enum class From : std::uint8_t { elsewhere, shared, unknown };

From space_of_load(std::string_view opcode) {
  if (!is_load(opcode)) return From::elsewhere;
  From from = From::unknown;
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
    const std::size_t end = opcode.find('.', at + 1);
    const std::string_view part = opcode.substr(at + 1, end == opcode.npos ? end : end - at - 1);
    if (part.starts_with("shared")) return From::shared;
    for (const std::string_view other : {"global", "local", "const", "param"})
      if (part.starts_with(other)) return From::elsewhere;
    at = end;
  }
  return from;
}

class Disturber {
 public:
  explicit Disturber(Function &function) : function_(function) {}

  void run() {
    std::vector<Instruction> before;
    before.swap(function_.instructions);
    std::vector<std::uint32_t> moved_to(before.size() + 1);
    for (std::size_t i = 0; i < before.size(); ++i) {
      moved_to[i] = static_cast<std::uint32_t>(function_.instructions.size());
      copy(before[i]);
    }
    moved_to[before.size()] = static_cast<std::uint32_t>(function_.instructions.size());
    for (Label &label : function_.labels) label.instruction = moved_to.at(label.instruction);
  }

 private:
  static Operand reg(std::int32_t index) {
    Operand o;
    o.kind = Operand::Kind::reg;
    o.reg = index;
    return o;
  }

  void copy(const Instruction &load) {
    const From from = space_of_load(load.opcode);
    if (from == From::elsewhere || load.operands.size() < 2) {
      function_.instructions.push_back(load);
      return;
    }
    // The destination may be the address, so the question comes before the load.
    std::int32_t only_if = load.guard;
    bool negated = load.guard_negated;
    if (from == From::unknown) {
      if (load.operands[1].reg < 0) {  // a named variable that is not in shared memory
        function_.instructions.push_back(load);
        return;
      }
      only_if = static_cast<std::int32_t>(function_.registers.size());
      negated = false;
      function_.registers.push_back({"%warpgrade_" + std::to_string(only_if), Type::pred});
      Instruction clear = like(load, "setp.ne.u32");
      clear.guard = -1;
      Operand zero;
      zero.kind = Operand::Kind::immediate;
      clear.operands = {reg(only_if), zero, zero};
      function_.instructions.push_back(clear);
      Instruction ask = like(load, "isspacep.shared");
      ask.operands = {reg(only_if), reg(load.operands[1].reg)};
      function_.instructions.push_back(ask);
    }
    function_.instructions.push_back(load);
    const Operand &to = load.operands[0];
    if (to.kind == Operand::Kind::vector)
      for (const Operand &element : to.elements) disturb(load, element, only_if, negated);
    else
      disturb(load, to, only_if, negated);
  }

  static Instruction like(const Instruction &load, std::string opcode) {
    Instruction i = load;
    i.opcode = std::move(opcode);
    return i;
  }

  void disturb(const Instruction &load, const Operand &to, std::int32_t guard, bool negated) {
    if (to.kind != Operand::Kind::reg) return;
    const std::uint32_t bytes = size_of(function_.registers.at(static_cast<std::size_t>(to.reg)).type);
    const char *opcode = bytes == 2 ? "xor.b16" : bytes == 4 ? "xor.b32" : bytes == 8 ? "xor.b64" : nullptr;
    if (opcode == nullptr) return;
    Instruction flip = like(load, opcode);
    flip.guard = guard;
    flip.guard_negated = negated;
    Operand bit;
    bit.kind = Operand::Kind::immediate;
    bit.value = bytes == 2 ? 0x0040 : bytes == 4 ? 0x00400000 : 0x0040000000400000;
    flip.operands = {reg(to.reg), reg(to.reg), bit};
    function_.instructions.push_back(std::move(flip));
  }

  Function &function_;
};

}  // namespace

std::vector<Place> memory_accesses(const Module &module) {
  return places(module, is_access);
}

std::vector<Place> tensor_products(const Module &module) {
  return places(module, [](const Instruction &i) { return is_product(i.opcode) && !i.operands.empty(); });
}

Module without_accesses(const Module &module, const std::vector<Place> &places) {
  Module without = module;
  std::vector<Place> last_first = places;  // so that places before one stay where they are
  std::sort(last_first.begin(), last_first.end(), std::greater<>());
  for (const Place &place : last_first) {
    Function &function = without.functions.at(place.function);
    const Instruction access = function.instructions.at(place.instruction);
    std::vector<Instruction> in_place;
    if (is_load(access.opcode) || (is_product(access.opcode) && !is_group_product(access.opcode))) {
      const Operand &to = access.operands[0];
      for (const Operand &one : to.kind == Operand::Kind::vector ? to.elements : std::vector{to}) {
        if (one.kind != Operand::Kind::reg) continue;
        const std::uint32_t bytes = size_of(function.registers.at(static_cast<std::size_t>(one.reg)).type);
        Instruction zero = access;
        zero.opcode = bytes == 2 ? "mov.b16" : bytes == 8 ? "mov.b64" : "mov.b32";
        Operand nothing;
        nothing.kind = Operand::Kind::immediate;
        zero.operands = {one, nothing};
        in_place.push_back(std::move(zero));
      }
    }
    const auto at = function.instructions.begin() + static_cast<std::ptrdiff_t>(place.instruction);
    function.instructions.insert(function.instructions.erase(at), in_place.begin(), in_place.end());
    for (Label &label : function.labels)
      if (label.instruction > place.instruction)
        label.instruction += static_cast<std::uint32_t>(in_place.size()) - 1;
  }
  return without;
}

Module with_disturbed_shared_loads(const Module &module) {
  Module disturbed = module;
  for (Function &function : disturbed.functions)
    if (function.defined) Disturber(function).run();
  return disturbed;
}

}  // namespace warpgrade::ptx
