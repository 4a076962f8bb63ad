#include "prove/check.hpp"

#include <algorithm>

namespace warpgrade::prove {
namespace {

constexpr std::size_t most_dangers =
    3;  // dangers of one property: the first one that a case confirms is reported

Formula reaching(const Scene &scene, const Access &access) {
  return scene.symbols.complete(access.at.formula());
}

Formula with(Formula formula, const Conjunction &more) {
  formula.atoms.insert(formula.atoms.end(), more.begin(), more.end());
  return formula;
}

const std::string &object_name(const Scene &scene, const Access &access) {
  return scene.objects[static_cast<std::size_t>(access.object)].name;
}

bool is_aligned(Scene &scene, Decider &decider, const Access &access) {
  if (access.bytes <= 1 || access.offset.divided_by(access.bytes)) return true;
  const Polynomial bytes(static_cast<Integer>(access.bytes));
  const Polynomial rest = access.offset - quotient(scene.symbols, access.offset, bytes) * bytes;
  Formula formula = access.at.formula();
  formula.atoms.push_back(at_least(rest, Polynomial(1)));
  return decider.is_empty(scene.symbols.complete(std::move(formula)));
}

/// The parts of an address that have a size, or a product of sizes, as their stride.
std::vector<Polynomial> strides_apart(const Scene &scene, const Polynomial &difference) {
  std::map<Monomial, Polynomial> parts;
  for (const auto &[monomial, factor] : difference.terms()) {
    Monomial sizes;
    Polynomial rest(factor);
    for (const Symbol s : monomial)
      if (scene.symbols.level(s) == Level::launch)
        sizes.push_back(s);
      else
        rest = rest * Polynomial::of(s);
    parts[sizes] = parts[sizes] + rest;
  }
  std::vector<std::pair<Monomial, Polynomial>> ordered(parts.begin(), parts.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
  std::vector<Polynomial> result;
  for (const auto &[sizes, part] : ordered)
    if (!sizes.empty() && !part.constant()) result.push_back(part);
  return result;
}

/// Whether it has no solution: at once, or once it is known which part of the address is smaller.
bool excluded_by_parts(Decider &decider, const Formula &formula, const std::vector<Polynomial> &parts,
                       std::size_t from) {
  if (decider.is_empty(formula, true)) return true;
  if (from == parts.size() || from > 3 || decider.out_of_time()) return false;
  const Atom cases[] = {less(parts[from], Polynomial(0)), less(Polynomial(0), parts[from]),
                        is_zero(parts[from])};
  return std::all_of(std::begin(cases), std::end(cases), [&](const Atom &one) {
    return excluded_by_parts(decider, with(formula, {one}), parts, from + 1);
  });
}

struct Pair {
  const Access &a, &b;
  Level shared;  ///< symbols that both threads see alike: those of the block, or of the launch
};

/// Two threads: what both do, and that they are two.
Formula two_threads(Scene &scene, const Pair &pair, std::map<Symbol, Symbol> &other) {
  const auto &indices = pair.shared == Level::block ? scene.thread_index : scene.block_index;
  const auto whole = [&](const Access &access) {
    std::vector<Polynomial> mentioned(indices.begin(), indices.end());
    mentioned.push_back(access.offset);
    mentioned.push_back(access.at.interval);
    return scene.symbols.complete(access.at.formula(), mentioned);
  };
  Formula formula = whole(pair.a);
  const Formula second = whole(pair.b);
  other = scene.symbols.other_thread(second, pair.shared);
  Disjunction apart;
  for (const Polynomial &index : indices) {
    if (index.constant()) continue;
    apart.push_back({less(index, index.rename(other))});
    if (&pair.a != &pair.b) apart.push_back({less(index.rename(other), index)});
  }
  formula.clauses.insert(formula.clauses.begin(), apart);
  formula.add(second.rename(other));
  return formula;
}

/// Two threads that touch the same bytes.
std::optional<Danger> meeting_of(Scene &scene, Decider &decider, const Pair &pair) {
  std::map<Symbol, Symbol> other;
  Formula formula = two_threads(scene, pair, other);
  if (formula.clauses.front().empty()) return std::nullopt;  // there is one thread only
  const Polynomial difference = pair.a.offset - pair.b.offset.rename(other);
  const Integer x = pair.a.bytes, y = pair.b.bytes;
  if (x == y && pair.a.offset.divided_by(x) && pair.b.offset.divided_by(x)) {
    formula.atoms.push_back(is_zero(difference));
  } else {
    formula.atoms.push_back(at_least_zero(difference + Polynomial(x - 1)));
    formula.atoms.push_back(at_least_zero(Polynomial(y - 1) - difference));
  }
  if (pair.shared == Level::block)
    formula.atoms.push_back(equal(pair.a.at.interval, pair.b.at.interval.rename(other)));
  if (excluded_by_strides(scene, decider, formula, difference)) return std::nullopt;
  const bool both_write = pair.a.kind != Access::Kind::load && pair.b.kind != Access::Kind::load;
  return Danger{formula, pair.a.kind == Access::Kind::load ? pair.b.instruction : pair.a.instruction,
                "two threads" + std::string(pair.shared == Level::block ? "" : " of different blocks") +
                    " may " + (both_write ? "write" : "read and write") + " the same element of '" +
                    object_name(scene, pair.a) + "'",
                true};
}

}  // namespace

bool excluded_by_strides(const Scene &scene, Decider &decider, const Formula &formula,
                         const Polynomial &difference) {
  return excluded_by_parts(decider, formula, strides_apart(scene, difference), 0);
}

Dangers outside(Scene &scene, Decider &decider, const Behaviour &behaviour) {
  Dangers result;
  for (const Access &access : behaviour.accesses) {
    if (result.size() >= most_dangers) break;
    if (access.object < 0) {
      result.push_back({{}, access.instruction, access.why, false});
      continue;
    }
    const MemoryObject &object = scene.objects[static_cast<std::size_t>(access.object)];
    if (!object.sized) {
      result.push_back({{}, access.instruction, "the size of '" + object.name + "' is not given", false});
      continue;
    }
    const Polynomial end = access.offset + Polynomial(static_cast<Integer>(access.bytes));
    for (const Atom &beyond : {less(access.offset, Polynomial(0)), less(object.bytes, end)}) {
      Formula formula = access.at.formula();
      formula.atoms.push_back(beyond);
      formula = scene.symbols.complete(std::move(formula));
      if (!decider.is_empty(formula))
        result.push_back(
            {formula, access.instruction, "the access may be outside '" + object.name + "'", true});
    }
    if (!is_aligned(scene, decider, access))
      result.push_back({reaching(scene, access), access.instruction,
                        "the access to '" + object.name + "' may be misaligned", true});
  }
  return result;
}

Dangers diverging(Scene &scene, Decider &decider, const Behaviour &behaviour) {
  Dangers result;
  for (const Meeting &meeting : behaviour.meetings)
    for (std::size_t i = 0; i < meeting.at.path.size(); ++i) {
      const Decision &one = meeting.at.path[i];
      if (result.size() >= most_dangers) return result;
      if (one.fact || (one.known && one.level != Level::thread)) continue;
      Formula here = meeting.at.formula();
      here = scene.symbols.complete(std::move(here));
      Formula there;
      for (std::size_t j = 0; j < i; ++j) there.add(meeting.at.path[j].cases);
      there.add(one.otherwise);
      there = scene.symbols.complete(std::move(there));
      here.add(there.rename(scene.symbols.other_thread(there, Level::block)));
      if (one.known && decider.is_empty(here)) continue;
      result.push_back({here, meeting.instruction, "not all threads of a block may reach the barrier", true});
      break;
    }
  return result;
}

Dangers racing(Scene &scene, Decider &decider, const Behaviour &behaviour, bool aligned) {
  Dangers result;
  const auto &all = behaviour.accesses;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].object < 0) return {{{}, all[i].instruction, all[i].why, false}};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i; j < all.size(); ++j) {
      if (result.size() >= most_dangers) return result;
      if (all[i].object != all[j].object) continue;
      using Kind = MemoryObject::Kind;
      const Kind kind = scene.objects[static_cast<std::size_t>(all[i].object)].kind;
      if (kind == Kind::local || kind == Kind::constant) continue;
      const auto is = [&](Access::Kind what) {
        return (all[i].kind == what ? 1 : 0) + (all[j].kind == what ? 1 : 0);
      };
      if (is(Access::Kind::load) == 2 || is(Access::Kind::atomic) == 2) continue;
      if (decider.out_of_time()) {
        result.push_back(
            {{}, all[i].instruction, decider.stopped_by_clock() ? "time" : "it takes too much work", false});
        return result;
      }
      if (!aligned) {
        result.push_back(
            {{}, all[i].instruction, "it is not known that all threads pass the same barriers", false});
        return result;
      }
      for (const Level shared : {Level::block, Level::launch}) {
        if (shared == Level::launch && kind == Kind::shared) continue;
        if (auto danger = meeting_of(scene, decider, {all[i], all[j], shared}))
          result.push_back(std::move(*danger));
      }
    }
  return result;
}

Dangers overflowing(Scene &scene, Decider &, const Behaviour &behaviour) {
  Dangers result;
  for (const Overflow &one : behaviour.overflows) {
    if (result.size() >= most_dangers) break;
    Formula formula = one.at.formula();
    formula.clauses.push_back(
        {{less(one.value, Polynomial(one.range.low))}, {less(Polynomial(one.range.high), one.value)}});
    result.push_back({scene.symbols.complete(std::move(formula)), one.instruction,
                      "'" + scene.symbols.text(one.value) + "' may leave the range of its type", true});
  }
  return result;
}

}  // namespace warpgrade::prove
