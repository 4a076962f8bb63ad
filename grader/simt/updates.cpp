#include "simt/updates.hpp"

#include <algorithm>
#include <set>

namespace warpgrade::simt {
namespace {

constexpr std::size_t most_values = 64;  // on the way from a value back to where it was read

bool is_strong(const Opcode &o) {
  return o.has("volatile") || o.has("relaxed") || o.has("acquire") || o.has("release");
}

bool is_load(const Opcode &o) {
  return o.base == "ld" && is_strong(o) && !o.has("v2") && !o.has("v4");
}

/// Adds to a value, so that the result depends on each value before it.
bool accumulates(const Opcode &o) {
  return o.base == "add" || o.base == "sub" || o.base == "mul" || o.base == "mad" || o.base == "fma" ||
         o.base == "xor";
}

bool hands_on(const Opcode &o) {
  return o.base == "mov" || o.base == "cvt";
}

}  // namespace

Words::Words(const ptx::Function &function) : function_(function) {
  for (const ptx::Instruction &one : function.instructions)
    if ((one.opcode.starts_with("cvta") || one.opcode == "mov.u64" || one.opcode == "mov.b64") &&
        one.operands.size() == 2)
      made_of_.emplace(one.operands[0].reg, &one.operands[1]);
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
    if (!store.opcode.starts_with("st") || store.operands.size() < 2 || store.operands[1].reg < 0) continue;
    if (!is_strong(Opcode(store.opcode))) continue;
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
    if (o.base == "setp" && (o.has("eq") || o.has("ne")) && constant(one.operands[of_left ? 2 : 1]) != 0)
      return true;
    if (o.base == "add" || o.base == "sub")  // count + 1 == all
      for_results(one, o, [&](std::int32_t reg) { results.insert(reg); });
  }
  return false;
}

/// The constant with which a register is compared for equality.
std::optional<std::int64_t> Updates::compared_with(std::int32_t result) const {
  for (const ptx::Instruction &one : function_.instructions) {
    if (!one.opcode.starts_with("setp") || one.operands.size() < 3) continue;
    const Opcode o(one.opcode);
    if (!o.has("eq") && !o.has("ne")) continue;
    if (one.operands[1].reg == result) return constant(one.operands[2]);
    if (one.operands[2].reg == result) return constant(one.operands[1]);
  }
  return std::nullopt;
}

bool Updates::is_given_back(const WordName &word, std::int64_t value, std::size_t but) const {
  for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
    const ptx::Instruction &one = function_.instructions[i];
    const bool store = one.opcode.starts_with("st.");
    const bool exchange = one.opcode.starts_with("atom") && one.opcode.find(".exch") != std::string::npos;
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

}  // namespace warpgrade::simt
