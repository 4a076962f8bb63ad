// Which memory instructions of a basic block have one lane pattern, because their addresses differ by
// something that is the same in all lanes: then only the first of them compares its 32 addresses with the
// pattern.
#include <map>
#include <tuple>

#include "decode/decoder.hpp"
#include "decode/flow.hpp"

namespace warpgrade::simt {
namespace {

/// Whether it reads or sets the carry flag, which is no operand.
bool carries(const Opcode &o) {
  return o.has("cc") || o.base == "addc" || o.base == "subc" || o.base == "madc";
}

bool is_uniform_special(std::string_view name) {
  return name.starts_with("%ctaid") || name.starts_with("%ntid") || name.starts_with("%nctaid");
}

/// Registers that hold one value in all lanes and at all times of a block: set once, of parameters,
/// constants, block numbers and each other, and on every way to where they are used.
class Uniform {
 public:
  Uniform(const ptx::Function &function, const std::vector<bool> &leads)
      : function_(function),
        flow_(function, leads),
        set_(function.registers.size(), 0),
        set_at_(function.registers.size(), 0),
        uniform_(function.registers.size(), false) {
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
      opcodes_.emplace_back(function.instructions[i].opcode);
      for_results(function.instructions[i], opcodes_[i], [&](std::int32_t reg) {
        ++set_[static_cast<std::size_t>(reg)];
        set_at_[static_cast<std::size_t>(reg)] = i;
      });
    }
    if (flow_.blocks() * function.registers.size() > most_flow_bits || !find_defined()) return;
    bool changed = true;
    for (int round = 0; changed && round < most_flow_rounds; ++round) {
      changed = false;
      for (std::size_t i = 0; i < function.instructions.size(); ++i) changed |= look_at(i);
    }
  }

  const Opcode &opcode(std::size_t instruction) const { return opcodes_[instruction]; }

  /// Whether a source operand is, at instruction `at`.
  bool holds(const ptx::Operand &operand, std::size_t at) const {
    using Kind = ptx::Operand::Kind;
    if (operand.kind == Kind::immediate || operand.kind == Kind::symbol) return true;
    if (operand.kind == Kind::special) return is_uniform_special(operand.name);
    return operand.kind == Kind::reg && operand.reg >= 0 && uniform_[static_cast<std::size_t>(operand.reg)] &&
           is_set_before(static_cast<std::size_t>(operand.reg), at);
  }

 private:
  /// defined_[b]: registers that are set on every way to the start of block b. False: it takes too long.
  bool find_defined() {
    const std::size_t registers = function_.registers.size();
    defined_.assign(flow_.blocks() + 1, RegisterSet(registers, true));
    defined_[0] = RegisterSet(registers);
    bool changed = true;
    for (int round = 0; changed; ++round) {
      if (round == most_flow_rounds) return false;
      changed = false;
      for (std::size_t b = 0; b < flow_.blocks(); ++b) {
        RegisterSet after = defined_[b];
        for (std::size_t i = flow_.starts[b]; i < flow_.end_of(b); ++i)
          if (const ptx::Instruction &one = function_.instructions[i]; one.guard < 0)
            for_results(one, opcodes_[i], [&](std::int32_t reg) { after.add(reg); });
        for (const std::size_t next : flow_.next[b]) changed |= defined_[next].keep(after);
      }
    }
    return true;
  }

  bool is_set_before(std::size_t reg, std::size_t at) const {
    const std::size_t block = flow_.block_of[at];
    return defined_[block].has(reg) || (flow_.block_of[set_at_[reg]] == block && set_at_[reg] < at);
  }

  bool look_at(std::size_t index) {
    const ptx::Instruction &instruction = function_.instructions[index];
    if (instruction.guard >= 0 || instruction.operands.size() < 2) return false;
    const ptx::Operand &to = instruction.operands[0];
    if (to.kind != ptx::Operand::Kind::reg || to.reg < 0 || to.second >= 0) return false;
    const auto reg = static_cast<std::size_t>(to.reg);
    if (uniform_[reg] || set_[reg] != 1) return false;
    const Opcode &o = opcodes_[index];
    if (o.is(Family::load)) {
      if (!function_.entry || !o.has("param") || instruction.operands[1].reg >= 0) return false;
    } else {
      if (!o.is(Family::arithmetic, Family::move, Family::convert, Family::address) || carries(o))
        return false;
      for (std::size_t i = 1; i < instruction.operands.size(); ++i)
        if (!holds(instruction.operands[i], index)) return false;
    }
    uniform_[reg] = true;
    return true;
  }

  const ptx::Function &function_;
  Flow flow_;
  std::vector<Opcode> opcodes_;
  std::vector<std::uint32_t> set_;   // how often each register is
  std::vector<std::size_t> set_at_;  // where, the last time
  std::vector<bool> uniform_;
  std::vector<RegisterSet> defined_;
};

/// Of each register, where its lane pattern comes from, within a basic block.
class Families {
 public:
  void begin_block() { of_.clear(); }
  std::uint32_t of(std::int32_t reg) {
    const auto [at, fresh] = of_.try_emplace(reg, 0);
    if (fresh) at->second = ++last_;
    return at->second;
  }
  void follow(const ptx::Instruction &instruction, const Opcode &o, const Uniform &uniform, std::size_t at) {
    const std::int32_t from = source(instruction, o, uniform, at);
    const std::uint32_t family = from >= 0 ? of(from) : ++last_;
    for_results(instruction, o,
                [&](std::int32_t reg) { of_[reg] = reg == instruction.operands[0].reg ? family : ++last_; });
  }

 private:
  /// The register that the result has the pattern of; -1 if there is none.
  static std::int32_t source(const ptx::Instruction &instruction, const Opcode &o, const Uniform &uniform,
                             std::size_t at) {
    const auto &operands = instruction.operands;
    if (instruction.guard >= 0 || operands.size() < 2 || operands[0].kind != ptx::Operand::Kind::reg)
      return -1;
    const auto is_register = [](const ptx::Operand &one) {
      return one.kind == ptx::Operand::Kind::reg && one.reg >= 0;
    };
    const std::size_t bytes = ptx::size_of(o.type());
    if (o.base == "mov" && operands.size() == 2 && bytes >= 4)
      return is_register(operands[1]) ? operands[1].reg : -1;
    if (o.base == "cvta" && o.has("global")) return is_register(operands[1]) ? operands[1].reg : -1;
    if ((o.base != "add" && o.base != "sub") || operands.size() != 3 || bytes < 4 || is_float(o.type()) ||
        o.has("sat") || o.has("cc"))
      return -1;
    if (is_register(operands[1]) && uniform.holds(operands[2], at)) return operands[1].reg;
    if (o.base == "add" && is_register(operands[2]) && uniform.holds(operands[1], at)) return operands[2].reg;
    return -1;
  }

  std::map<std::int32_t, std::uint32_t> of_;
  std::uint32_t last_ = 0;
};

}  // namespace

void Decoder::share_patterns(const ptx::Function &function) {
  const std::vector<bool> leads = find_leaders(function);
  const Uniform uniform(function, leads);
  Families families;
  // family, direction, space, bytes, elements, how it is merged as compiled
  using Key = std::tuple<std::uint32_t, bool, ptx::Space, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Key, std::uint32_t> known;
  const auto fresh = [this] {
    program_->patterns.emplace_back();
    return static_cast<std::uint32_t>(program_->patterns.size()) - 1;
  };
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction &instruction = function.instructions[i];
    if (leads[i]) families.begin_block(), known.clear();
    if (const std::uint32_t index = site_of_instruction_[i];
        index != UINT32_MAX && program_->sites[index].fast) {
      Site &site = program_->sites[index];
      const Operand &where = instruction.operands[site.action == Site::Action::store ? 0 : 1];
      if (instruction.guard >= 0 || where.reg < 0) {
        site.pattern = fresh();
      } else {
        const Key key{families.of(where.reg),
                      site.action == Site::Action::store,
                      site.space,
                      site.bytes,
                      site.elements,
                      site.merged};
        const auto [at, first] = known.try_emplace(key, 0);
        if (first) at->second = fresh();
        site.pattern = at->second;
        site.follows = !first;
      }
      program_->patterns[site.pattern].push_back(index);
    }
    families.follow(instruction, uniform.opcode(i), uniform, i);
  }
}

}  // namespace warpgrade::simt
