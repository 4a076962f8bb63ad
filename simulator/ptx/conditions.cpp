#include "ptx/conditions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace warpgrade::ptx {

namespace {

constexpr std::size_t most_steps = 20'000'000;  // of all searches together
constexpr int most_combined = 6;                // levels of "and" and "or"

bool is_any(std::string_view opcode, std::initializer_list<std::string_view> names) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  return std::find(names.begin(), names.end(), base) != names.end();
}

class Paths {
 public:
  explicit Paths(const Function &f) : f_(f), seen_(f.instructions.size()) {
    for (const Label &label : f.labels) labels_[label.name] = label.instruction;
  }

  std::size_t size() const { return f_.instructions.size(); }

  /// The instruction that a branch jumps to; nothing for other instructions.
  std::optional<std::size_t> target(std::size_t i) const {
    const Instruction &instruction = f_.instructions[i];
    if (!is_any(instruction.opcode, {"bra"}) || instruction.operands.empty()) return std::nullopt;
    const auto label = labels_.find(instruction.operands.back().name);
    if (label == labels_.end()) return std::nullopt;
    return label->second;
  }
  bool ends(std::size_t i) const { return is_any(f_.instructions[i].opcode, {"ret", "exit", "trap"}); }

  /// Whether one of the wanted instructions can be reached from `from` without passing `avoided`.
  bool reaches(std::size_t from, std::size_t avoided, const std::vector<bool> &wanted) {
    std::fill(seen_.begin(), seen_.end(), false);
    std::vector<std::size_t> open = {from};
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (i >= size() || i == avoided || seen_[i]) continue;
      if (wanted[i]) return true;
      seen_[i] = true;
      ++steps_;
      const bool conditional = f_.instructions[i].guard >= 0;
      const auto to = target(i);
      if (to) open.push_back(*to);
      if ((!to && !ends(i)) || conditional) open.push_back(i + 1);
    }
    return false;
  }
  bool tired() const { return steps_ > most_steps; }

 private:
  const Function &f_;
  std::map<std::string, std::size_t, std::less<>> labels_;
  std::vector<bool> seen_;
  std::size_t steps_ = 0;
};

/// The comparisons that make a predicate.
class Comparisons {
 public:
  Comparisons(const Module &module, const Function &f) : module_(module), f_(f) {
    for (const Instruction &i : f.instructions)
      if (!i.operands.empty() && i.operands.front().reg >= 0 &&
          f.registers[static_cast<std::size_t>(i.operands.front().reg)].type == Type::pred)
        made_[i.operands.front().reg].push_back(&i);
  }

  /// Adds the lines of what makes `predicate`. negated: a thread passes where it does not hold
  void add(std::int32_t predicate, bool negated, std::vector<Condition> &all, int depth = 0) const {
    const auto made = made_.find(predicate);
    if (made == made_.end() || depth == most_combined) return;
    for (const Instruction *i : made->second) {
      if (is_any(i->opcode, {"setp"})) {
        all.push_back({source_line(module_, i->location), equal_passes(*i, negated)});
        continue;
      }
      const bool turns = is_any(i->opcode, {"not"});
      if (!turns && !is_any(i->opcode, {"and", "or", "mov"})) continue;
      for (std::size_t o = 1; o < i->operands.size(); ++o)
        if (i->operands[o].reg >= 0)
          add(i->operands[o].reg, negated != (turns || i->operands[o].negated), all, depth + 1);
    }
  }

 private:
  /// Of "x <= bound"; a bound below x, mostly a constant, lets no thread go too far.
  static bool equal_passes(const Instruction &i, bool negated) {
    if (i.operands.size() < 3 || i.operands[2].kind == Operand::Kind::immediate) return false;
    const auto compares = [&](std::string_view how) {
      return i.opcode.find("." + std::string(how) + ".") != std::string::npos;
    };
    return negated ? compares("gt") || compares("hi") : compares("le") || compares("ls");
  }

  const Module &module_;
  const Function &f_;
  std::map<std::int32_t, std::vector<const Instruction *>> made_;
};

}  // namespace

std::vector<Condition> conditions_before(const Module &module, const Function &f, const SourceLine &at) {
  std::vector<bool> wanted(f.instructions.size());
  std::vector<Condition> all;
  const Comparisons comparisons(module, f);
  for (std::size_t i = 0; i < f.instructions.size(); ++i) {
    const Instruction &one = f.instructions[i];
    wanted[i] = is_any(one.opcode, {"ld", "ldu", "st", "atom", "red", "cp", "shfl"}) &&
                one.opcode.find(".param") == std::string::npos && source_line(module, one.location) == at;
    if (wanted[i] && one.guard >= 0) comparisons.add(one.guard, one.guard_negated, all);
  }
  Paths paths(f);
  for (std::size_t i = 0; i < f.instructions.size() && !paths.tired(); ++i) {
    const Instruction &one = f.instructions[i];
    const auto to = paths.target(i);
    if (one.guard < 0 || (!to && !paths.ends(i))) continue;
    const bool taken = to && paths.reaches(*to, i, wanted), passed = paths.reaches(i + 1, i, wanted);
    if (taken != passed) comparisons.add(one.guard, one.guard_negated != passed, all);
  }
  std::map<SourceLine, bool> lines;
  for (const Condition &c : all)
    if (c.at.line > 0 && c.at.file == at.file) lines[c.at] |= c.equal_passes;
  std::vector<Condition> result;
  for (const auto &[line, equal] : lines) result.push_back({line, equal});
  return result;
}

}  // namespace warpgrade::ptx
