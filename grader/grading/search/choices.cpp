#include "search/choices.hpp"

#include <algorithm>
#include <string_view>

namespace warpgrade::search {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

constexpr std::size_t most_in_slice = 400;   // instructions that a guard is computed from
constexpr std::size_t most_branches = 4000;  // of all kernels: one of a compiler's has some hundred
constexpr std::int64_t least_constant = 2, most_constant = std::int64_t{1} << 20;

std::string_view base_of(const Instruction &i) {
  return std::string_view(i.opcode).substr(0, i.opcode.find('.'));
}

bool is_one_of(std::string_view base, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), base) != names.end();
}

bool is_integer(const Instruction &i) {
  return i.opcode.find(".f32") == std::string::npos && i.opcode.find(".f64") == std::string::npos &&
         i.opcode.find(".f16") == std::string::npos && i.opcode.find(".bf16") == std::string::npos;
}

/// The number that an immediate stands for: of a shift, what it multiplies or divides by; of a mask, what it is the
/// rest of a division by.
void add_constant(const Instruction &i, std::int64_t value, std::set<std::int64_t> &all) {
  const std::string_view base = base_of(i);
  if (is_one_of(base, {"shl", "shr"}))
    value = value >= 0 && value < 20 ? std::int64_t{1} << value : 0;
  else if (base == "and" && value > 0 && (value & (value + 1)) == 0)
    value += 1;
  if (value < 0 && value >= -most_constant) value = -value;
  if (value >= least_constant && value <= most_constant) all.insert(value);
}

void add_immediates(const Instruction &i, std::set<std::int64_t> &all) {
  if (!is_integer(i)) return;
  for (const Operand &o : i.operands)
    if (o.kind == Operand::Kind::immediate && o.type == ptx::Type::none) add_constant(i, o.value, all);
}

/// The functions that a kernel runs.
std::vector<const Function *> reached_from(const ptx::Module &module, const std::set<std::string> &kernels) {
  std::vector<const Function *> all;
  const auto add = [&](const std::string &name) {
    const Function *f = ptx::find_function(module, name);
    if (f && f->defined && std::find(all.begin(), all.end(), f) == all.end()) all.push_back(f);
  };
  for (const std::string &kernel : kernels) add(kernel);
  for (std::size_t next = 0; next < all.size(); ++next)
    for (const Instruction &i : all[next]->instructions)
      if (base_of(i) == "call")
        for (const Operand &o : i.operands)
          if (o.kind == Operand::Kind::symbol) add(o.name);
  return all;
}

/// What the guards of one function are computed from.
class Slices {
 public:
  explicit Slices(const Function &f) : f_(f), written_(f.registers.size()) {
    for (std::size_t i = 0; i < f.instructions.size(); ++i) note_results(i);
  }

  void follow(std::int32_t guard, Branch &branch) const {
    std::vector<bool> seen(f_.instructions.size());
    std::vector<std::int32_t> open = {guard};
    std::size_t steps = 0;
    while (!open.empty()) {
      const std::int32_t reg = open.back();
      open.pop_back();
      if (reg < 0 || static_cast<std::size_t>(reg) >= written_.size()) continue;
      for (const std::size_t at : written_[static_cast<std::size_t>(reg)]) {
        if (seen[at] || ++steps > most_in_slice) continue;
        seen[at] = true;
        take(f_.instructions[at], open, branch);
      }
    }
  }

 private:
  void note_results(std::size_t at) {
    const Instruction &i = f_.instructions[at];
    if (i.operands.empty() || is_one_of(base_of(i), {"st", "red", "bra", "bar", "call"})) return;
    const Operand &to = i.operands.front();
    const auto note = [&](std::int32_t reg) {
      if (reg >= 0 && static_cast<std::size_t>(reg) < written_.size())
        written_[static_cast<std::size_t>(reg)].push_back(at);
    };
    if (to.kind == Operand::Kind::reg) note(to.reg), note(to.second);
    for (const Operand &element : to.elements) note(element.reg);
  }

  void take(const Instruction &i, std::vector<std::int32_t> &open, Branch &branch) const {
    if (base_of(i) == "ld") {
      if (i.opcode.starts_with("ld.param")) note_parameter(i, branch);
      return;  // what memory holds is data
    }
    add_immediates(i, branch.constants);
    if (i.guard >= 0) open.push_back(i.guard);
    for (std::size_t o = 1; o < i.operands.size(); ++o) {
      open.push_back(i.operands[o].reg);
      for (const Operand &element : i.operands[o].elements) open.push_back(element.reg);
    }
  }

  void note_parameter(const Instruction &i, Branch &branch) const {
    if (i.operands.size() < 2) return;
    const Operand &from = i.operands[1];
    for (const ptx::Parameter &p : f_.parameters)
      if (p.name == from.name) branch.parameters.insert(p.offset + static_cast<std::uint32_t>(from.value));
  }

  const Function &f_;
  std::vector<std::vector<std::size_t>> written_;  // by register: instructions that write it
};

/// The line of the first instruction from here that has one and is not `own`; 0 at the end of the function.
int line_from(const ptx::Module &module, const Function &f, std::size_t at, const ptx::SourceLine &own) {
  int last = 0;
  for (std::size_t steps = 0; at < f.instructions.size() && steps < 64; ++at, ++steps) {
    const Instruction &i = f.instructions[at];
    const bool ends = is_one_of(base_of(i), {"ret", "exit", "trap"});
    if (ends) return last;
    const ptx::SourceLine here = ptx::source_line(module, i.location);
    if (here.line > 0 && here.file == own.file) {
      if (here.line != own.line) return here.line;
      last = here.line;
    }
    if (base_of(i) == "bra") return last;
  }
  return last;
}

}  // namespace

std::vector<Branch> branches_of(const ptx::Module &module, const std::set<std::string> &kernels) {
  std::vector<Branch> all;
  for (const Function *f : reached_from(module, kernels)) {
    const Slices slices(*f);
    std::map<std::string, std::size_t, std::less<>> labels;
    for (const ptx::Label &label : f->labels) labels[label.name] = label.instruction;
    for (std::size_t at = 0; at < f->instructions.size() && all.size() < most_branches; ++at) {
      const Instruction &i = f->instructions[at];
      const bool leaves = is_one_of(base_of(i), {"ret", "exit"});
      if (i.guard < 0 || !(leaves || base_of(i) == "bra")) continue;
      Branch one{i.text_line, ptx::source_line(module, i.location)};
      if (one.at.line == 0 || ptx::is_toolkit_code(module, i.location)) continue;
      const auto to = i.operands.empty() ? labels.end() : labels.find(i.operands.back().name);
      one.to[0] = leaves || to == labels.end() ? 0 : line_from(module, *f, to->second, one.at);
      one.to[1] = line_from(module, *f, at + 1, one.at);
      slices.follow(i.guard, one);
      all.push_back(std::move(one));
    }
  }
  std::sort(all.begin(), all.end(), [](const Branch &a, const Branch &b) { return a.ptx_line < b.ptx_line; });
  return all;
}

std::set<std::int64_t> constants_of(const ptx::Module &module, const std::set<std::string> &kernels) {
  std::set<std::int64_t> all;
  for (const Function *f : reached_from(module, kernels))
    for (const Instruction &i : f->instructions)
      if (is_one_of(base_of(i), {"setp", "set", "shr", "and", "div", "rem", "min", "max"}) &&
          !ptx::is_toolkit_code(module, i.location))
        add_immediates(i, all);
  return all;
}

bool Coverage::add(std::span<const simt::BranchCount> counts) {
  bool news = false;
  for (const simt::BranchCount &one : counts) {
    Ways &known = ways_[one.ptx_line];
    news = news || (one.taken > 0 && !known.held) || (one.not_taken > 0 && !known.failed);
    known.held = known.held || one.taken > 0;
    known.failed = known.failed || one.not_taken > 0;
  }
  return news;
}

bool Coverage::taken(const Branch &branch, bool guard_holds) const {
  const auto known = ways_.find(branch.ptx_line);
  return known != ways_.end() && (guard_holds ? known->second.held : known->second.failed);
}

std::vector<LineCoverage> by_line(const std::vector<Branch> &branches, const Coverage &coverage) {
  std::map<ptx::SourceLine, LineCoverage> lines;
  for (const Branch &one : branches) {
    LineCoverage &line = lines[one.at];
    if (line.ways == 0) line.reached = false;
    line.at = one.at;
    line.reached = line.reached || coverage.reached(one);
    for (const bool holds : {true, false}) {
      ++line.ways;
      if (coverage.taken(one, holds))
        ++line.taken;
      else
        line.never_to.insert(one.to[holds ? 0 : 1]);
    }
  }
  std::vector<LineCoverage> all;
  for (auto &[at, line] : lines) all.push_back(std::move(line));
  return all;
}

}  // namespace warpgrade::search
