#include "decode/updates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t several_times = UINT32_MAX;
constexpr std::size_t most_values = 64;  // on the way from a value back to where it was read

bool is_load(const Opcode &o) {
  return o.is(Family::load) && is_strong(o) && !o.has("v2") && !o.has("v4");
}

/// Adds to a value, so that the result depends on each value before it.
bool accumulates(const Opcode &o) {
  return o.base == "add" || o.base == "sub" || o.base == "mul" || o.base == "mad" || o.base == "fma" ||
         o.base == "xor";
}

bool hands_on(const Opcode &o) {
  return o.is(Family::move, Family::convert);
}

}  // namespace

Words::Words(const ptx::Function &function) : function_(function) {
  for (const ptx::Instruction &one : function.instructions)
    if ((one.opcode.starts_with("cvta") || one.opcode == "mov.u64" || one.opcode == "mov.b64") &&
        one.operands.size() == 2)
      made_of_.emplace(one.operands[0].reg, &one.operands[1]);
  defined_at_.resize(function.registers.size());
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i)
    for_results(function.instructions[i], Opcode(function.instructions[i].opcode), [&](std::int32_t reg) {
      std::uint32_t &at = defined_at_[static_cast<std::size_t>(reg)];
      at = at == 0 ? i + 1 : several_times;
    });
}

std::string Words::formula(std::size_t instruction, std::size_t operand) const {
  const ptx::Operand &address = function_.instructions[instruction].operands.at(operand);
  return fmt::format("{}+{}", formula_of(address, 0), address.value);
}

std::string Words::formula_of(const ptx::Operand &value, int depth) const {
  constexpr int most_depth = 8;
  if (value.reg < 0) return fmt::format("{}#{}", value.name, value.value);
  const std::uint32_t at = defined_at_[static_cast<std::size_t>(value.reg)];
  if (at == 0 || at == several_times || depth == most_depth) return fmt::format("%{}", value.reg);
  const ptx::Instruction &made = function_.instructions[at - 1];
  const Opcode o(made.opcode);
  if (o.base == "cvta" && made.operands.size() == 2) return formula_of(made.operands[1], depth + 1);
  static constexpr std::string_view pure[] = {"add", "sub", "mul", "mad", "shl",
                                              "and", "or",  "cvt", "mov", "selp"};
  if (made.guard >= 0 || std::find(std::begin(pure), std::end(pure), o.base) == std::end(pure))
    return fmt::format("%{}", value.reg);
  if (std::any_of(made.operands.begin(), made.operands.end(),
                  [](const ptx::Operand &one) { return !one.elements.empty(); }))
    return fmt::format("%{}", value.reg);
  std::string text = made.opcode;
  for (std::size_t i = 1; i < made.operands.size(); ++i)
    text += fmt::format("{}{}", i == 1 ? '(' : ',', formula_of(made.operands[i], depth + 1));
  return text + ")";
}

WordName Words::at(std::size_t instruction, std::size_t operand) const {
  const ptx::Operand &address = function_.instructions[instruction].operands.at(operand);
  const ptx::Operand *base = &address;
  constexpr int most_forms = 4;
  for (int step = 0; step < most_forms && base->reg >= 0; ++step) {
    const auto from = made_of_.find(base->reg);
    if (from == made_of_.end()) break;
    base = from->second;
  }
  return {base->reg, base == &address ? address.value : address.value + base->value, base->name};
}

Updates::Updates(const ptx::Function &function, const std::vector<bool> &leads)
    : function_(function), flow_(function, leads), words_(function) {
  definitions_.resize(function.registers.size());
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    for_results(function.instructions[i], Opcode(function.instructions[i].opcode),
                [&](std::int32_t reg) { definitions_[static_cast<std::size_t>(reg)].push_back(i); });
}

std::vector<std::pair<std::size_t, std::size_t>> Updates::find() const {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
    const ptx::Instruction &store = function_.instructions[i];
    const Opcode o(store.opcode);
    if (!o.is(Family::store) || store.operands.size() < 2 || store.operands[1].reg < 0 || !is_strong(o))
      continue;
    const std::size_t load = load_behind(store.operands[1].reg, i);
    if (load != none && !decides(load, i)) found.emplace_back(load, i);
  }
  return found;
}

/// The load of the stored word that `value` was made of by adding to it.
std::size_t Updates::load_behind(std::int32_t value, std::size_t store) const {
  std::set<std::pair<std::int32_t, bool>> seen{{value, false}};
  std::vector<std::pair<std::int32_t, bool>> open(seen.begin(), seen.end());
  while (!open.empty() && seen.size() < most_values) {
    const auto [reg, added] = open.back();
    open.pop_back();
    for (const std::size_t from : definitions_[static_cast<std::size_t>(reg)]) {
      const ptx::Instruction &made = function_.instructions[from];
      const Opcode o(made.opcode);
      if (is_load(o) && added && made.operands.size() == 2 && words_.at(from, 1) == words_.at(store, 0) &&
          keeps_its_value(made.operands[1].reg, from, store))
        return from;
      if (!accumulates(o) && !hands_on(o)) continue;
      for (std::size_t i = 1; i < made.operands.size(); ++i) {
        if (made.operands[i].kind != ptx::Operand::Kind::reg || made.operands[i].reg < 0) continue;
        const std::pair next(made.operands[i].reg, added || accumulates(o));
        if (seen.insert(next).second) open.push_back(next);
      }
    }
  }
  return none;
}

/// Whether an address is the same at both places.
bool Updates::keeps_its_value(std::int32_t reg, std::size_t first, std::size_t last) const {
  if (reg < 0 || definitions_[static_cast<std::size_t>(reg)].size() == 1) return true;
  if (flow_.block_of[first] != flow_.block_of[last] || first > last) return false;
  for (std::size_t i = first; i < last; ++i) {
    bool changes = false;
    for_results(function_.instructions[i], Opcode(function_.instructions[i].opcode),
                [&](std::int32_t written) { changes = changes || written == reg; });
    if (changes) return false;
  }
  return true;
}

/// Whether the loaded value decides whether there is a store.
bool Updates::decides(std::size_t load, std::size_t store) const {
  std::set<std::int32_t> made{function_.instructions[load].operands[0].reg};
  for (std::size_t before = 0; made.size() != before;) {
    before = made.size();
    for (const ptx::Instruction &one : function_.instructions) {
      const Opcode o(one.opcode);
      bool reads = false;
      for_sources(one, o, [&](std::int32_t reg) { reads = reads || made.count(reg) != 0; });
      if (reads) for_results(one, o, [&](std::int32_t reg) { made.insert(reg); });
    }
  }
  const auto looks = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      if (const std::int32_t guard = function_.instructions[i].guard; guard >= 0 && made.count(guard) != 0)
        return true;
    return false;
  };
  const std::size_t from = flow_.block_of[load], to = flow_.block_of[store];
  if (from == to && load < store) return looks(load, store + 1);
  if (looks(load, flow_.end_of(from)) || looks(flow_.starts[to], store + 1)) return true;
  std::set<std::size_t> seen{from, to, flow_.blocks()};
  std::vector<std::size_t> open(flow_.next[from].begin(), flow_.next[from].end());
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (!seen.insert(block).second) continue;
    if (looks(flow_.starts[block], flow_.end_of(block))) return true;
    open.insert(open.end(), flow_.next[block].begin(), flow_.next[block].end());
  }
  return false;
}

std::optional<std::int64_t> Updates::constant(const ptx::Operand &operand) const {
  if (operand.kind == ptx::Operand::Kind::immediate) return operand.value;
  if (operand.kind != ptx::Operand::Kind::reg || operand.reg < 0) return std::nullopt;
  const std::vector<std::size_t> &from = definitions_[static_cast<std::size_t>(operand.reg)];
  if (from.size() != 1 || !function_.instructions[from.front()].opcode.starts_with("mov"))
    return std::nullopt;
  const ptx::Operand &value = function_.instructions[from.front()].operands.at(1);
  if (value.kind != ptx::Operand::Kind::immediate) return std::nullopt;
  return value.value;
}

bool Updates::tells_the_last(std::size_t atomic) const {
  std::set<std::int32_t> results;
  for_results(function_.instructions[atomic], Opcode(function_.instructions[atomic].opcode),
              [&](std::int32_t reg) { results.insert(reg); });
  for (const ptx::Instruction &one : function_.instructions) {
    if (one.operands.size() < 3) continue;
    const bool of_left = results.count(one.operands[1].reg) != 0;
    if (!of_left && results.count(one.operands[2].reg) == 0) continue;
    const Opcode o(one.opcode);
    if (o.is(Family::compare) && (o.has("eq") || o.has("ne")) && constant(one.operands[of_left ? 2 : 1]) != 0)
      return true;
    if (o.base == "add" || o.base == "sub")  // count + 1 == all
      for_results(one, o, [&](std::int32_t reg) { results.insert(reg); });
  }
  return false;
}

/// The constant with which a register is compared for equality.
std::optional<std::int64_t> Updates::compared_with(std::int32_t result) const {
  for (const ptx::Instruction &one : function_.instructions) {
    const Opcode o(one.opcode);
    if (!o.is(Family::compare) || one.operands.size() < 3) continue;
    if (!o.has("eq") && !o.has("ne")) continue;
    if (one.operands[1].reg == result) return constant(one.operands[2]);
    if (one.operands[2].reg == result) return constant(one.operands[1]);
  }
  return std::nullopt;
}

bool Updates::is_given_back(const WordName &word, std::int64_t value, std::size_t but) const {
  for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
    const ptx::Instruction &one = function_.instructions[i];
    const Opcode o(one.opcode);
    const bool store = o.is(Family::store), exchange = o.is(Family::atomic) && o.has("exch");
    if (i == but || (!store && !exchange)) continue;
    const std::size_t at = store ? 0 : 1;
    if (one.operands.size() > at + 1 && words_.at(i, at) == word && constant(one.operands[at + 1]) == value)
      return true;
  }
  return false;
}

bool Updates::takes_a_lock(std::size_t atomic) const {
  const ptx::Instruction &one = function_.instructions[atomic];
  const bool swaps = one.operands.size() > 3;
  const std::optional<std::int64_t> given = constant(one.operands[2]);
  const std::optional<std::int64_t> asked = swaps ? given : compared_with(one.operands[0].reg);
  return asked && (swaps || (given && given != asked)) && is_given_back(words_.at(atomic, 1), *asked, atomic);
}

/// Whether an instruction puts `free` into a word that held `taken`.
bool Updates::gives_back(const ptx::Instruction &one, const Opcode &o, std::int64_t taken,
                         std::int64_t free) const {
  const bool compares = o.has("cas");
  const std::size_t value = (o.is(Family::atomic) ? 2 : 1) + (compares ? 1 : 0);
  if (one.operands.size() <= value) return false;
  const std::optional<std::int64_t> put = constant(one.operands[value]);
  if (!put) return false;
  if (o.has("add")) return static_cast<std::int32_t>(taken + *put) == static_cast<std::int32_t>(free);
  return (o.is(Family::store) || compares || o.has("exch")) && *put == free;
}

bool Updates::holds_a_lock(std::size_t atomic) const {
  const ptx::Instruction &one = function_.instructions[atomic];
  const bool swaps = one.operands.size() > 3;
  const std::optional<std::int64_t> second = constant(one.operands[2]),
                                    free = swaps ? second : compared_with(one.operands[0].reg),
                                    taken = swaps ? constant(one.operands[3]) : second;
  if (!free || !taken || *free == *taken) return false;
  const std::string word = words_.formula(atomic, 1);
  bool back = false;
  for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
    const ptx::Instruction &other = function_.instructions[i];
    const Opcode o(other.opcode);
    const bool writes = o.is(Family::atomic, Family::reduction) || (o.is(Family::store) && !o.has("param"));
    const std::size_t at = o.is(Family::atomic) ? 1 : 0;
    if (i == atomic || !writes || other.operands.size() <= at || words_.formula(i, at) != word) continue;
    if (o.is(Family::store) && !is_strong(o)) return false;
    back = back || gives_back(other, o, *taken, *free);
  }
  return back;
}

std::set<std::int32_t> Updates::results_of(const std::vector<std::size_t> &instructions) const {
  std::set<std::int32_t> results;
  for (const std::size_t i : instructions)
    for_results(function_.instructions[i], Opcode(function_.instructions[i].opcode),
                [&](std::int32_t reg) { results.insert(reg); });
  for (std::size_t before = 0; results.size() != before;) {
    before = results.size();
    for (const ptx::Instruction &one : function_.instructions)
      if (const Opcode o(one.opcode);
          hands_on(o) && one.operands.size() == 2 && results.count(one.operands[1].reg) != 0)
        for_results(one, o, [&](std::int32_t reg) { results.insert(reg); });
  }
  return results;
}

std::optional<std::size_t> Updates::ticket_of(std::size_t read) const {
  const WordName word = words_.at(read, 1);
  std::vector<std::size_t> givers;
  for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
    const Opcode o(function_.instructions[i].opcode);
    if (o.is(Family::atomic) && (o.has("add") || o.has("inc")) && words_.at(i, 1) != word)
      givers.push_back(i);
  }
  if (givers.empty()) return std::nullopt;
  const std::set<std::int32_t> turns = results_of({read});
  const auto is_compared = [&](const std::vector<std::size_t> &with) {
    const std::set<std::int32_t> tickets = results_of(with);
    const auto meet = [&](std::int32_t a, std::int32_t b) {
      return tickets.count(a) != 0 && turns.count(b) != 0;
    };
    return std::any_of(function_.instructions.begin(), function_.instructions.end(),
                       [&](const ptx::Instruction &one) {
                         const Opcode o(one.opcode);
                         if (!o.is(Family::compare) || one.operands.size() < 3) return false;
                         const std::int32_t left = one.operands[1].reg, right = one.operands[2].reg;
                         return (o.has("eq") || o.has("ne")) && (meet(left, right) || meet(right, left));
                       });
  };
  if (!is_compared(givers)) return std::nullopt;
  const auto giver =
      std::find_if(givers.begin(), givers.end(), [&](std::size_t i) { return is_compared({i}); });
  return giver == givers.end() ? givers.front() : *giver;
}

}  // namespace warpgrade::simt
