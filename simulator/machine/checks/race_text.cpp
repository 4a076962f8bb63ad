#include "machine/checks/race_text.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace warpgrade::simt {
namespace {

enum Made : std::uint8_t { by_threads = 1, by_data = 2, by_loop = 4 };
constexpr std::size_t most_values_behind_a_store = 256;
const std::string several_roots = "?";

bool is_plain(const Opcode &o, Family family) {
  return o.is(family) && !o.has("param") && !is_strong(o);
}

bool is_barrier_of_block(const Opcode &o) {
  return is_barrier(o) && !o.has("arrive") && !o.has("cluster");
}

/// What an instruction makes of one of its sources.
Change change_by(const Opcode &o, std::size_t operand) {
  if (o.is(Family::move, Family::convert)) return Change::none;
  if (o.base == "add" || (o.base == "sub" && operand == 1)) return Change::add;
  if ((o.base == "fma" || o.base == "mad") && operand == 3) return Change::add;
  if (o.base == "min" || o.base == "max") return Change::bound;
  if (o.base == "and" || o.base == "or" || o.base == "xor") return Change::bits;
  return Change::other;
}

Change both(Change a, Change b) {
  if (a == Change::none || a == b) return b;
  return b == Change::none ? a : Change::other;
}

/// Instructions through which a value stays made of its sources.
bool computes(const Opcode &o) {
  return !o.is(Family::load, Family::atomic, Family::texture) && o.base != "shfl" && o.base != "ldmatrix";
}

}  // namespace

RaceText::RaceText(const ptx::Function &function) : function_(function), words_(function) {
  opcodes_.reserve(function.instructions.size());
  definitions_.resize(function.registers.size());
  for (const ptx::Label &label : function.labels) labels_[label.name] = label.instruction;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    opcodes_.emplace_back(function.instructions[i].opcode);
    for_results(function.instructions[i], opcodes_[i],
                [&](std::int32_t reg) { definitions_[static_cast<std::size_t>(reg)].push_back(i); });
    if (address_operand(i) != SIZE_MAX) by_line_.emplace(function.instructions[i].text_line, i);
  }
  find_flags();
  find_roots();
  find_changes();
}

std::optional<std::size_t> RaceText::at(std::int32_t text_line) const {
  const auto found = by_line_.find(text_line);
  if (found == by_line_.end()) return std::nullopt;
  return found->second;
}

std::size_t RaceText::address_operand(std::size_t access) const {
  const std::vector<ptx::Operand> &operands = function_.instructions[access].operands;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].kind == ptx::Operand::Kind::memory) return i;
  return SIZE_MAX;
}

/// What each register is computed from, until nothing is added.
void RaceText::find_flags() {
  flags_.resize(definitions_.size());
  for (std::size_t reg = 0; reg < definitions_.size(); ++reg)
    if (definitions_[reg].size() > 1) flags_[reg] = by_loop;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
      const ptx::Instruction &one = function_.instructions[i];
      const Opcode &o = opcodes_[i];
      std::uint8_t made = 0;
      if (o.is(Family::load) && o.has("param") && function_.entry) {
      } else if (!computes(o) || o.is(Family::warp)) {
        made = by_data;
      } else {
        for_sources(one, o, [&](std::int32_t reg) { made |= flags_[static_cast<std::size_t>(reg)]; });
        for (const ptx::Operand &operand : one.operands) {
          if (operand.kind != ptx::Operand::Kind::special) continue;
          if (operand.name.starts_with("%tid") || operand.name.starts_with("%ctaid") ||
              operand.name.starts_with("%laneid") || operand.name.starts_with("%warpid"))
            made |= by_threads;
          else if (operand.name.starts_with("%clock") || operand.name.starts_with("%globaltimer"))
            made |= by_data;
        }
      }
      for_results(one, o, [&](std::int32_t reg) {
        std::uint8_t &flags = flags_[static_cast<std::size_t>(reg)];
        changed = changed || (flags | made) != flags;
        flags |= made;
      });
    }
  }
}

/// The parameter or variable from which each address is counted.
void RaceText::find_roots() {
  roots_.resize(definitions_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
      const ptx::Instruction &one = function_.instructions[i];
      const Opcode &o = opcodes_[i];
      std::string made;
      const auto add = [&](const std::string &root) {
        if (!root.empty()) made = made.empty() || made == root ? root : several_roots;
      };
      const bool parameter = o.is(Family::load) && o.has("param") && function_.entry;
      if (parameter && o.has("u64") && one.operands.size() == 2)
        add(one.operands[1].name + "+" + std::to_string(one.operands[1].value));
      else if (!computes(o) && !parameter && (o.has("u64") || o.has("b64")))
        made = several_roots;
      else if (computes(o)) {
        for_sources(one, o, [&](std::int32_t reg) { add(roots_[static_cast<std::size_t>(reg)]); });
        for (const ptx::Operand &operand : one.operands)
          if (operand.kind == ptx::Operand::Kind::symbol) add(operand.name);
      }
      if (made.empty()) continue;
      for_results(one, o, [&](std::int32_t reg) {
        std::string &root = roots_[static_cast<std::size_t>(reg)];
        if (root == made || root == several_roots) return;
        root = root.empty() ? made : several_roots;
        changed = true;
      });
    }
  }
}

void RaceText::find_changes() {
  for (std::size_t i = 0; i < opcodes_.size(); ++i) {
    if (!is_plain(opcodes_[i], Family::store)) continue;
    const auto found = load_behind(i);
    if (!found) continue;
    changes_[i] = changes_[found->first] = found->second;
  }
}

/// The load from which the stored value was computed, and how.
std::optional<std::pair<std::size_t, Change>> RaceText::load_behind(std::size_t store) const {
  const std::vector<ptx::Operand> &operands = function_.instructions[store].operands;
  if (operands.size() < 2) return std::nullopt;
  std::vector<std::pair<std::int32_t, Change>> open;
  std::set<std::pair<std::int32_t, Change>> seen;
  const auto add = [&](std::int32_t reg, Change change) {
    if (reg >= 0 && seen.emplace(reg, change).second) open.emplace_back(reg, change);
  };
  for_registers(operands[1], [&](std::int32_t reg) { add(reg, Change::none); });
  for (std::size_t next = 0; next < open.size() && next < most_values_behind_a_store; ++next) {
    const auto [reg, change] = open[next];
    for (const std::size_t from : definitions_[static_cast<std::size_t>(reg)]) {
      const ptx::Instruction &made = function_.instructions[from];
      const Opcode &o = opcodes_[from];
      if (is_plain(o, Family::load) && change != Change::none && same_formula(from, store))
        return std::pair(from, change);
      if (!computes(o)) continue;
      for (std::size_t i = 1; i < made.operands.size(); ++i)
        for_registers(made.operands[i],
                      [&](std::int32_t source) { add(source, both(change, change_by(o, i))); });
    }
  }
  return std::nullopt;
}

bool RaceText::is_stored_by(std::size_t load, std::size_t store) const {
  const std::vector<ptx::Operand> &operands = function_.instructions[store].operands;
  if (!is_plain(opcodes_[store], Family::store) || operands.size() < 2) return false;
  std::vector<std::int32_t> open;
  const auto add = [&](std::int32_t reg) {
    if (reg >= 0 && std::find(open.begin(), open.end(), reg) == open.end()) open.push_back(reg);
  };
  for_registers(operands[1], add);
  for (std::size_t next = 0; next < open.size() && next < most_values_behind_a_store; ++next)
    for (const std::size_t from : definitions_[static_cast<std::size_t>(open[next])]) {
      if (from == load) return true;
      const ptx::Instruction &made = function_.instructions[from];
      for (std::size_t i = 1; i < made.operands.size(); ++i) for_registers(made.operands[i], add);
    }
  return false;
}

Change RaceText::change_of(std::size_t access) const {
  const auto found = changes_.find(access);
  return found == changes_.end() ? Change::none : found->second;
}

std::uint8_t RaceText::index_flags(std::size_t access) const {
  const std::size_t operand = address_operand(access);
  if (operand == SIZE_MAX) return by_data;
  const std::int32_t reg = function_.instructions[access].operands[operand].reg;
  return reg < 0 ? 0 : flags_[static_cast<std::size_t>(reg)];
}

bool RaceText::index_by_threads(std::size_t access) const {
  return (index_flags(access) & by_threads) != 0;
}
bool RaceText::index_by_data(std::size_t access) const {
  return (index_flags(access) & by_data) != 0;
}
bool RaceText::index_by_loop(std::size_t access) const {
  return (index_flags(access) & by_loop) != 0 && reaches(access, access, Stop::nothing);
}

bool RaceText::same_formula(std::size_t a, std::size_t b) const {
  if (a == b) return true;
  const std::size_t first = address_operand(a), second = address_operand(b);
  return first != SIZE_MAX && second != SIZE_MAX && words_.at(a, first) == words_.at(b, second);
}

template <class Visit>
void RaceText::for_next(std::size_t i, const Visit &visit) const {
  const ptx::Instruction &one = function_.instructions[i];
  const Opcode &o = opcodes_[i];
  const auto visit_label = [&](const std::string &name) {
    if (const auto found = labels_.find(name); found != labels_.end()) visit(found->second);
  };
  if (o.is(Family::jump) && !one.operands.empty()) visit_label(one.operands[0].name);
  if (o.is(Family::jump_by_table))
    for (const auto &targets : function_.branch_targets)
      for (const std::string &name : targets) visit_label(name);
  if (one.guard >= 0 || !leaves(o)) visit(i + 1);
}

bool RaceText::reaches(std::size_t from, std::size_t to, Stop stop) const {
  std::vector<bool> seen(opcodes_.size() + 1);
  std::vector<std::size_t> open;
  const auto go_on = [&](std::size_t i) {
    for_next(i, [&](std::size_t next) {
      if (next < opcodes_.size() && !seen[next]) seen[next] = true, open.push_back(next);
    });
  };
  go_on(from);
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    if (i == to) return true;
    const Opcode &o = opcodes_[i];
    if (stop != Stop::nothing && is_barrier_of_block(o)) continue;
    if (stop == Stop::syncwarp && o.is(Family::barrier) && o.has("warp")) continue;
    go_on(i);
  }
  return false;
}

bool RaceText::in_straight_line(std::size_t first, std::size_t last) const {
  for (const auto &[name, at] : labels_)
    if (at > first && at <= last) return false;
  for (std::size_t i = first; i < last; ++i)
    if (opcodes_[i].is(Family::jump, Family::jump_by_table) || leaves(opcodes_[i])) return false;
  return true;
}

std::vector<std::size_t> RaceText::barriers_beside(std::size_t i) const {
  std::vector<std::size_t> all;
  for (std::size_t at = 0; at < opcodes_.size(); ++at)
    if (is_barrier_of_block(opcodes_[at]) && function_.instructions[at].guard < 0 &&
        in_straight_line(std::min(at, i), std::max(at, i)))
      all.push_back(at);
  return all;
}

std::vector<std::size_t> RaceText::like(std::size_t access) const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < opcodes_.size(); ++i)
    if (address_operand(i) != SIZE_MAX && opcodes_[i].is(opcodes_[access].row->family) &&
        !opcodes_[i].has("param"))
      all.push_back(i);
  return all;
}

std::optional<std::pair<std::size_t, std::size_t>> RaceText::lock_around(
    std::size_t access, const std::vector<std::size_t> &locks) const {
  for (const std::size_t lock : locks) {
    if (!reaches(lock, access, Stop::nothing)) continue;
    const WordName word = words_.at(lock, address_operand(lock));
    for (std::size_t i = 0; i < opcodes_.size(); ++i) {
      const Opcode &o = opcodes_[i];
      const bool gives = (o.is(Family::store) && !o.has("param")) || o.is(Family::atomic, Family::reduction);
      if (i == lock || !gives || address_operand(i) == SIZE_MAX) continue;
      if (words_.at(i, address_operand(i)) == word && reaches(access, i, Stop::nothing))
        return std::pair(lock, i);
    }
  }
  return std::nullopt;
}

bool RaceText::is_fenced(std::size_t access, const std::pair<std::size_t, std::size_t> &lock) const {
  const auto orders = [&](std::size_t i, const char *how) {
    return opcodes_[i].has(how) || opcodes_[i].has("acq_rel");
  };
  return (orders(lock.first, "acquire") || has_fence_between(lock.first, access)) &&
         (orders(lock.second, "release") || has_fence_between(access, lock.second));
}

bool RaceText::is_under(std::size_t access, const std::pair<std::size_t, std::size_t> &lock) const {
  return !reaches_without(0, access, lock.first) && !reaches_without(lock.second, access, lock.first);
}

/// Whether a thread may go from one instruction to another without passing a third one.
bool RaceText::reaches_without(std::size_t from, std::size_t to, std::size_t but) const {
  std::vector<bool> seen(opcodes_.size() + 1);
  std::vector<std::size_t> open{from};
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    if (i == but && i != from) continue;
    for_next(i, [&](std::size_t next) {
      if (next < opcodes_.size() && !seen[next]) seen[next] = true, open.push_back(next);
    });
  }
  return seen[to];
}

bool RaceText::has_fence_between(std::size_t from, std::size_t to) const {
  for (std::size_t i = 0; i < opcodes_.size(); ++i)
    if (opcodes_[i].is(Family::fence) && reaches(from, i, Stop::nothing) && reaches(i, to, Stop::nothing))
      return true;
  return false;
}

const std::string *RaceText::root_of(std::size_t access) const {
  const std::size_t at = address_operand(access);
  if (at == SIZE_MAX) return nullptr;
  const ptx::Operand &operand = function_.instructions[access].operands[at];
  const std::string &root = operand.reg < 0 ? operand.name : roots_[static_cast<std::size_t>(operand.reg)];
  return root.empty() || root == several_roots ? nullptr : &root;
}

/// Whether every thread of the launch computes the same value, once.
bool RaceText::is_uniform(const ptx::Operand &value) const {
  if (value.kind == ptx::Operand::Kind::immediate) return true;
  return value.kind == ptx::Operand::Kind::reg && value.reg >= 0 &&
         flags_[static_cast<std::size_t>(value.reg)] == 0;
}

bool RaceText::is_only_compared(std::size_t load) const {
  std::vector<std::int32_t> open;
  std::set<std::int32_t> seen;
  const auto add = [&](std::int32_t reg) {
    if (seen.insert(reg).second) open.push_back(reg);
  };
  for_results(function_.instructions[load], opcodes_[load], add);
  bool compared = false;
  for (std::size_t next = 0; next < open.size(); ++next)
    for (std::size_t i = 0; i < opcodes_.size(); ++i) {
      bool reads = false;
      for_sources(function_.instructions[i], opcodes_[i],
                  [&](std::int32_t reg) { reads |= reg == open[next]; });
      if (!reads) continue;
      if (opcodes_[i].is(Family::compare))
        compared = true;
      else if (opcodes_[i].is(Family::move, Family::convert))
        for_results(function_.instructions[i], opcodes_[i], add);
      else
        return false;
    }
  return compared;
}

bool RaceText::stores_one_value(std::size_t store, std::size_t load, const Alias &alias) const {
  const std::string *const root = root_of(store);
  const auto plain_value = [&](std::size_t i) -> const ptx::Operand * {
    const std::vector<ptx::Operand> &operands = function_.instructions[i].operands;
    return is_plain(opcodes_[i], Family::store) && operands.size() == 2 ? &operands[1] : nullptr;
  };
  const ptx::Operand *const value = plain_value(store);
  if (!root || !value || !is_uniform(*value) || !is_plain(opcodes_[load], Family::load) ||
      !is_only_compared(load))
    return false;
  bool looks_first = false;
  for (std::size_t i = 0; i < opcodes_.size(); ++i) {
    const Opcode &o = opcodes_[i];
    if (o.is(Family::call)) return false;
    const bool elsewhere = o.has("shared") || o.has("shared::cta") || o.has("local") || o.has("param");
    if (elsewhere || address_operand(i) == SIZE_MAX) continue;
    const std::string *const other = root_of(i);
    if (o.is(Family::load)) {
      // A polled flag is read in one place, repeatedly.
      const bool polls = (index_flags(i) & (by_data | by_loop)) == 0 && reaches(i, i, Stop::nothing);
      looks_first = looks_first || (other && *other == *root && is_plain(o, Family::load) &&
                                    is_only_compared(i) && !polls && reaches(i, store, Stop::nothing));
      continue;
    }
    if (!other) return false;
    if (*other != *root && !alias(*other, *root)) continue;
    const ptx::Operand *const stored = plain_value(i);
    const bool same =
        stored && stored->kind == value->kind && stored->reg == value->reg && stored->value == value->value;
    if (!same) return false;
  }
  return looks_first;
}

}  // namespace warpgrade::simt
