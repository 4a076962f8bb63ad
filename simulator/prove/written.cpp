// Whether every element of an output is written, exactly once.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "prove/check.hpp"
#include "prove/cover.hpp"
#include "prove/family.hpp"

namespace warpgrade::prove {
namespace {

/// Two stores to one element, by two threads or by one in two iterations.
std::optional<Danger> twice(Scene &scene, Decider &decider, const Access &a, const Access &b) {
  const auto whole = [&](const Access &access) {
    std::vector<Polynomial> mentioned{access.offset};
    for (const auto *indices : {&scene.block_index, &scene.thread_index})
      mentioned.insert(mentioned.end(), indices->begin(), indices->end());
    mentioned.push_back(scene.turn);
    for (const Symbol s : access.at.iterations) mentioned.push_back(Polynomial::of(s));
    return scene.symbols.complete(access.at.formula(), mentioned);
  };
  Formula formula = whole(a);
  const Formula second = whole(b);
  const auto other = scene.symbols.other_thread(second, Level::launch);
  if (&a == &b) {
    Disjunction apart;
    const auto differ = [&](const Polynomial &p) {
      if (!p.constant()) apart.push_back({less(p, p.rename(other))});
    };
    for (const auto *indices : {&scene.block_index, &scene.thread_index})
      for (const Polynomial &index : *indices) differ(index);
    differ(scene.turn);
    for (const Symbol s : a.at.iterations) differ(Polynomial::of(s));
    formula.clauses.insert(formula.clauses.begin(), apart);
  }
  formula.add(second.rename(other));
  const Polynomial difference = a.offset - b.offset.rename(other);
  formula.atoms.push_back(at_least_zero(difference + Polynomial(static_cast<Integer>(a.bytes) - 1)));
  formula.atoms.push_back(at_least_zero(Polynomial(static_cast<Integer>(b.bytes) - 1) - difference));
  if (a.bytes == b.bytes && difference.divided_by(a.bytes)) formula.atoms.push_back(is_zero(difference));
  if (excluded_by_strides(scene, decider, formula, difference)) return std::nullopt;
  return Danger{{}, b.instruction, "an element may be written twice", false};
}

/// Why the stores to an output are not looked at; nothing if they are.
std::optional<Danger> not_followed(const Behaviour &behaviour, int output, const std::string &name,
                                   std::vector<const Access *> &stores) {
  for (const Access &access : behaviour.accesses) {
    if (access.object >= 0 && access.object != output) continue;
    if (access.kind == Access::Kind::load) continue;
    if (access.object < 0) return Danger{{}, access.instruction, access.why, false};
    if (access.kind == Access::Kind::atomic)
      return Danger{{},
                    access.instruction,
                    "'" + name + "' is updated by atomics, any number of which may reach an element",
                    false};
    stores.push_back(&access);
  }
  if (stores.empty()) return Danger{{}, 0, "no store to '" + name + "' is found", false};
  return std::nullopt;
}

}  // namespace

Dangers unwritten(Scene &scene, Decider &decider, const Behaviour &behaviour) {
  Dangers result;
  const auto is_output = [](const MemoryObject &object) { return object.output; };
  if (std::none_of(scene.objects.begin(), scene.objects.end(), is_output))
    return {{{}, 0, "no buffer is given as an output", false}};
  // A trap ends the launch, and what other threads were to write is lost.
  if (const Dangers traps = trapping(scene, decider, behaviour, 1); !traps.empty())
    return {{{}, traps.front().instruction, "a thread may end in a trap before all is written", false}};
  for (std::size_t o = 0; o < scene.objects.size(); ++o) {
    if (!scene.objects[o].output) continue;
    std::vector<const Access *> stores;
    if (auto why = not_followed(behaviour, static_cast<int>(o), scene.objects[o].name, stores)) {
      result.push_back(std::move(*why));
      continue;
    }
    std::set<Symbol> exact = behaviour.exact;
    const std::vector<Access> families = as_families(scene, stores, exact);
    if (auto gap = gap_of(scene, decider, exact, families)) result.push_back(std::move(*gap));
    for (std::size_t i = 0; i < families.size() && result.empty(); ++i)
      for (std::size_t j = i; j < families.size() && result.empty(); ++j)
        if (auto again = twice(scene, decider, families[i], families[j])) result.push_back(std::move(*again));
  }
  return result;
}

}  // namespace warpgrade::prove
