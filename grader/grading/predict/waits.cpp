#include "predict/waits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace warpgrade::predict {

namespace {

/// Stands for all of shared memory: a thread may pass on there what it has read.
constexpr std::int32_t shared_memory = -2;

void add_registers(const ptx::Operand &operand, std::set<std::int32_t> &registers) {
  if (operand.reg >= 0) registers.insert(operand.reg);
  if (operand.second >= 0) registers.insert(operand.second);
  for (const ptx::Operand &element : operand.elements) add_registers(element, registers);
}

bool begins(const ptx::Instruction &i, std::string_view with) {
  return i.opcode.starts_with(with);
}

bool carries(const ptx::Instruction &i, std::string_view modifier) {
  return i.opcode.find(modifier) != std::string::npos;
}

/// Reads what another block may write meanwhile, and is made for that.
bool reads_others(const ptx::Instruction &i) {
  if (carries(i, ".shared")) return false;
  if (begins(i, "atom.")) return true;
  return begins(i, "ld.") &&
         (carries(i, ".volatile") || carries(i, ".acquire") || carries(i, ".relaxed") || carries(i, ".mmio"));
}

bool leaves(const ptx::Instruction &i) {
  return begins(i, "bra") || begins(i, "ret") || begins(i, "exit");
}

/// What an instruction reads and writes.
struct Effect {
  std::set<std::int32_t> reads, writes;
};

Effect effect_of(const ptx::Instruction &i) {
  Effect e;
  if (i.guard >= 0) e.reads.insert(i.guard);
  const bool stores = begins(i, "st.") || begins(i, "red.");
  for (std::size_t k = 0; k < i.operands.size(); ++k)
    add_registers(i.operands[k], k == 0 && !stores && !leaves(i) ? e.writes : e.reads);
  if (carries(i, ".shared")) {
    if (begins(i, "ld.") || begins(i, "atom.")) e.reads.insert(shared_memory);
    if (begins(i, "st.") || begins(i, "atom.") || begins(i, "red.")) e.writes.insert(shared_memory);
  }
  return e;
}

/// The first instruction of others' writes on which the end of this loop depends.
const ptx::Instruction *awaited_in(const ptx::Function &f, std::size_t first, std::size_t last,
                                   const std::map<std::string, std::size_t> &labels) {
  std::set<std::int32_t> wanted;
  std::vector<Effect> effects;
  for (std::size_t i = first; i <= last; ++i) {
    const ptx::Instruction &instruction = f.instructions[i];
    effects.push_back(effect_of(instruction));
    if (!leaves(instruction) || instruction.guard < 0) continue;
    const auto target =
        instruction.operands.empty() ? labels.end() : labels.find(instruction.operands.back().name);
    const bool inside = target != labels.end() && target->second > first && target->second <= last;
    if (!inside || i == last) wanted.insert(instruction.guard);
  }
  const ptx::Instruction *found = nullptr;
  for (std::size_t before = 0; before != wanted.size();) {
    before = wanted.size();
    for (std::size_t i = first; i <= last; ++i) {
      const Effect &e = effects[i - first];
      const bool matters =
          std::any_of(e.writes.begin(), e.writes.end(), [&](std::int32_t r) { return wanted.count(r) > 0; });
      if (!matters) continue;
      wanted.insert(e.reads.begin(), e.reads.end());
      if (reads_others(f.instructions[i]) && (found == nullptr || &f.instructions[i] < found))
        found = &f.instructions[i];
    }
  }
  return found;
}

const ptx::Instruction *awaited_in(const ptx::Function &f) {
  std::map<std::string, std::size_t> labels;
  for (const ptx::Label &l : f.labels) labels.emplace(l.name, l.instruction);
  for (std::size_t i = 0; i < f.instructions.size(); ++i) {
    const ptx::Instruction &jump = f.instructions[i];
    if (!begins(jump, "bra") || jump.operands.empty()) continue;
    const auto target = labels.find(jump.operands.back().name);
    if (target == labels.end() || target->second > i) continue;
    if (const ptx::Instruction *found = awaited_in(f, target->second, i, labels)) return found;
  }
  return nullptr;
}

}  // namespace

std::optional<ptx::SourceLine> waits_for_others(const ptx::Module &module, const std::string &kernel) {
  for (const ptx::Function &f : module.functions) {
    if (!f.defined || (f.entry && f.name != kernel)) continue;
    if (const ptx::Instruction *found = awaited_in(f)) return ptx::source_line(module, found->location);
  }
  return std::nullopt;
}

}  // namespace warpgrade::predict
