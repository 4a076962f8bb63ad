#include "prove/check.hpp"

#include <algorithm>
#include <cstdint>
#include <regex>
#include <set>

#include "prove/family.hpp"

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

/// Whether a number has something in it that was loaded.
bool is_of_data(const Scene &scene, const Polynomial &p) {
  return std::any_of(p.terms().begin(), p.terms().end(), [&](const auto &term) {
    return std::any_of(term.first.begin(), term.first.end(),
                       [&](Symbol s) { return scene.symbols.name(s) == loaded_name; });
  });
}

bool is_copy(const ptx::Instruction &i) {
  return i.operands.size() == 2 && i.operands.front().kind == ptx::Operand::Kind::reg &&
         (i.opcode.starts_with("mov.") || i.opcode.starts_with("cvta."));
}

bool is_aligned(Scene &scene, Decider &decider, const Access &access) {
  if (access.bytes <= 1) return true;
  if (scene.objects[static_cast<std::size_t>(access.object)].aligned_to % access.bytes != 0) return false;
  if (access.offset.divided_by(access.bytes)) return true;
  const Polynomial bytes(static_cast<Integer>(access.bytes));
  const Polynomial rest = access.offset - quotient(scene.symbols, access.offset, bytes) * bytes;
  Formula formula = access.at.formula();
  formula.atoms.push_back(at_least(rest, Polynomial(1)));
  return decider.is_empty(scene.symbols.complete(std::move(formula)));
}

/// Registers with the address of a thread's memory, called the frame below.
std::set<std::int32_t> registers_of_frame(const Scene &scene, const std::set<std::string> &variables) {
  std::set<std::int32_t> result;
  for (bool more = true; more;) {  // a loop may copy a copy that comes later in the text
    const std::size_t before = result.size();
    for (const ptx::Instruction &i : scene.kernel->instructions) {
      if (!is_copy(i)) continue;
      const ptx::Operand &from = i.operands[1];
      if (from.value == 0 && (variables.count(from.name) > 0 || result.count(from.reg) > 0))
        result.insert(i.operands.front().reg);
    }
    more = result.size() > before;
  }
  return result;
}

/// Whether the memory of a thread may have several arrays: PTX says where each of them begins, and only where all of them
/// end. It has one if its address is only copied, used as it is, or increased by 0, as compilers do for the first array. Any
/// other use may lead to a second one.
bool has_several_arrays(const Scene &scene) {
  std::set<std::string> variables;
  for (const MemoryObject &one : scene.objects)
    if (one.kind == MemoryObject::Kind::local) variables.insert(one.name);
  if (variables.empty()) return false;
  const std::set<std::int32_t> frame = registers_of_frame(scene, variables);
  const auto is_frame = [&](const ptx::Operand &one) {
    return frame.count(one.reg) > 0 || variables.count(one.name) > 0;
  };
  const auto is_nothing = [](const ptx::Operand &one) {
    return one.kind == ptx::Operand::Kind::immediate && one.value == 0;
  };
  const auto may_lead_to_a_second = [&](const ptx::Instruction &i) {
    const bool adds_nothing = i.opcode.starts_with("add.") && i.operands.size() == 3 &&
                              (is_nothing(i.operands[1]) || is_nothing(i.operands[2]));
    const bool keeps_it = is_copy(i) || adds_nothing;
    for (std::size_t n = 0; n < i.operands.size(); ++n) {
      const ptx::Operand &one = i.operands[n];
      if (std::any_of(one.elements.begin(), one.elements.end(), is_frame)) return true;
      const bool is_written = n == 0 && one.kind == ptx::Operand::Kind::reg;
      if (is_written || !is_frame(one)) continue;
      if (one.value != 0 || (one.kind != ptx::Operand::Kind::memory && !keeps_it)) return true;
    }
    return false;
  };
  const auto &all = scene.kernel->instructions;
  return std::any_of(all.begin(), all.end(), may_lead_to_a_second);
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

/// Cases of which part of an address is smaller, as far as fractions do not exclude them.
void open_cases(Decider &decider, const Formula &formula, const std::vector<Polynomial> &parts,
                std::size_t from, std::vector<Formula> &open) {
  if (decider.is_empty(formula, Look::fractions)) return;
  if (from == parts.size() || from > 3 || decider.out_of_time()) {
    open.push_back(formula);
    return;
  }
  for (const Atom &one :
       {less(parts[from], Polynomial(0)), less(Polynomial(0), parts[from]), is_zero(parts[from])})
    open_cases(decider, with(formula, {one}), parts, from + 1, open);
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

/// The same inequality of integers, divided by what all coefficients share.
Polynomial divided(const Polynomial &p) {
  const Integer by = p.common_divisor();
  if (by < 2) return p;
  const Integer rest = (p.coefficient({}) % by + by) % by;
  return *(p - Polynomial(rest)).divided_by(by);
}

/// Constraints that leave of `wanted` only a product with a stride when they are added to it, as of S * j >= n and
/// n > S * q: then j > q, which linear constraints do not say.
std::vector<Polynomial> products_with(const Scene &scene, const Formula &formula, const Polynomial &wanted) {
  constexpr std::size_t most_products = 4;
  std::vector<Polynomial> result;
  const std::vector<Polynomial> own = strides_apart(scene, wanted);
  if (own.empty()) return result;
  for (const Atom &atom : formula.atoms) {
    const Polynomial sum = divided(wanted) + divided(atom.polynomial);
    const auto is_product = [&](const auto &term) {
      const Monomial &m = term.first;
      return m.empty() || (m.size() > 1 && std::any_of(m.begin(), m.end(), [&](Symbol s) {
                             return scene.symbols.level(s) == Level::launch;
                           }));
    };
    if (atom.equality || sum.constant() || result.size() == most_products ||
        strides_apart(scene, atom.polynomial).empty())
      continue;
    if (std::all_of(sum.terms().begin(), sum.terms().end(), is_product)) result.push_back(sum);
  }
  return result;
}

}  // namespace

bool excluded_by_strides(const Scene &scene, Decider &decider, const Formula &formula,
                         const Polynomial &difference) {
  std::vector<Formula> open;
  open_cases(decider, formula, strides_apart(scene, difference), 0, open);
  if (open.size() > 1 && decider.is_empty(formula, Look::integers)) return true;
  return std::all_of(open.begin(), open.end(),
                     [&](const Formula &one) { return decider.is_empty(one, Look::integers); });
}

Dangers trapping(Scene &scene, Decider &decider, const Behaviour &behaviour, std::size_t most) {
  Dangers result;
  for (const Meeting &trap : behaviour.traps) {
    if (result.size() >= most) break;
    Formula formula = scene.symbols.complete(trap.at.formula());
    if (!decider.is_empty(formula))
      result.push_back(
          {std::move(formula), trap.instruction,
           "a thread may end in a trap, which compilers put where something undefined happens, such as an "
           "access through a null pointer",
           true});
  }
  return result;
}

Dangers outside(Scene &scene, Decider &decider, const Behaviour &behaviour) {
  Dangers result = trapping(scene, decider, behaviour, most_dangers);
  const bool several_arrays = has_several_arrays(scene);
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
    if (object.kind == MemoryObject::Kind::local && several_arrays)
      result.push_back(
          {{}, access.instruction, "the index may reach another local array of the thread", false});
    const Polynomial end = access.offset + Polynomial(static_cast<Integer>(access.bytes));
    const bool of_data = is_of_data(scene, access.offset);
    for (const Atom &beyond : {less(access.offset, Polynomial(0)), less(object.bytes, end)}) {
      Formula formula = access.at.formula();
      formula.atoms.push_back(beyond);
      formula = scene.symbols.complete(std::move(formula));
      if (decider.is_empty(formula)) continue;
      const std::vector<Polynomial> products = products_with(scene, formula, beyond.polynomial);
      if (std::none_of(products.begin(), products.end(), [&](const Polynomial &one) {
            return excluded_by_strides(scene, decider, formula, one);
          }))
        result.push_back({formula, access.instruction,
                          "the access may be outside '" + object.name + "'" +
                              (of_data ? ", by an index that is read from memory" : ""),
                          true, of_data});
    }
    if (!is_aligned(scene, decider, access))
      result.push_back({reaching(scene, access), access.instruction,
                        "the access to '" + object.name + "' may be misaligned", true});
  }
  return result;
}

namespace {

/// Two threads of a block, one of which comes to the meeting and the other does not; nothing if there are none.
/// warp  nothing, or its number: then the two are of one warp, and who has returned is not waited for
///
/// One of their choices is the first that differs. Until then both were in the same iterations of the loops around it,
/// and had the same from every barrier. After it, one of them comes to a meeting. Either this choice is on the way to it;
/// or that thread began another iteration in between, and then a loop is not one of all threads, which is a danger of
/// each meeting in it.
std::optional<Danger> diverging_at(Scene &scene, Decider &decider, const Behaviour &behaviour,
                                   const Meeting &meeting, const std::optional<Polynomial> &warp) {
  std::size_t loops = 0;         // around the choice
  std::optional<Danger> result;  // the first one; but one that says where they part before one that does not
  for (std::size_t i = 0; i < meeting.at.path.size(); ++i) {
    const Decision &one = meeting.at.path[i];
    const std::size_t around = loops;
    if (goes_on(one)) ++loops;
    if (one.fact || (one.known && one.level != Level::thread) || (warp && one.other_ends)) continue;
    std::vector<Polynomial> mentioned;
    if (warp) mentioned.push_back(*warp);
    Formula here = scene.symbols.complete(meeting.at.formula(), mentioned);
    Formula there;
    for (std::size_t j = 0; j < i; ++j) there.add(meeting.at.path[j].cases);
    there.add(one.otherwise);
    there = scene.symbols.complete(std::move(there), mentioned);
    const auto other = scene.symbols.other_thread(there, Level::block);
    here.add(there.rename(other));
    if (warp) here.atoms.push_back(equal(*warp, warp->rename(other)));
    const std::vector<Symbol> &iterations = meeting.at.iterations;
    for (const auto &[s, copy] : other) {
      const auto loop = std::find(iterations.begin(), iterations.end(), s);
      const bool same = loop < iterations.begin() + static_cast<std::ptrdiff_t>(around);
      if (same || behaviour.together.count(s) > 0)
        here.atoms.push_back(equal(Polynomial::of(s), Polynomial::of(copy)));
    }
    if (result && (!one.known || goes_on(one))) continue;
    if (one.known && decider.is_empty(here)) continue;
    result = Danger{std::move(here), meeting.instruction,
                    warp ? "not all lanes of a warp may reach this point, and it waits for all of them"
                         : "not all threads of a block may reach the barrier",
                    true};
    if (one.known && !goes_on(one)) break;
  }
  return result;
}

}  // namespace

Dangers diverging(Scene &scene, Decider &decider, const Behaviour &behaviour) {
  Dangers result;
  for (const Meeting &meeting : behaviour.meetings) {
    if (result.size() >= most_dangers) break;
    if (auto danger = diverging_at(scene, decider, behaviour, meeting, std::nullopt))
      result.push_back(std::move(*danger));
  }
  return result;
}

Dangers diverging_in_warps(Scene &scene, Decider &decider, const Behaviour &behaviour) {
  Dangers result;
  const Polynomial warp = quotient(scene.symbols,
                                   scene.thread_index[0] + scene.thread_index[1] * scene.block[0] +
                                       scene.thread_index[2] * scene.block[0] * scene.block[1],
                                   32);
  for (const Meeting &meeting : behaviour.warp_meetings) {
    if (result.size() >= most_dangers) break;
    if (!meeting.of_all)
      result.push_back({{}, meeting.instruction, "the mask does not name all lanes, or is not known", false});
    else if (auto danger = diverging_at(scene, decider, behaviour, meeting, warp))
      result.push_back(std::move(*danger));
  }
  return result;
}

namespace {

/// Whether two threads may, of one block or of two.
bool may_race(const Scene &scene, const Access &a, const Access &b, Level shared) {
  if (a.object != b.object) return false;
  using Kind = MemoryObject::Kind;
  const Kind kind = scene.objects[static_cast<std::size_t>(a.object)].kind;
  if (kind == Kind::local || kind == Kind::constant) return false;
  if (kind == Kind::shared && shared == Level::launch) return false;
  const auto both_are = [&](Access::Kind what) { return a.kind == what && b.kind == what; };
  if (both_are(Access::Kind::load)) return false;
  // Atomic for each other only with one size, and within the scope of both.
  return !both_are(Access::Kind::atomic) || a.update_bytes != b.update_bytes ||
         (shared == Level::launch && (a.of_block || b.of_block));
}

/// Two threads of a block, then two of different blocks.
void add_meetings(Scene &scene, Decider &decider, const Access &a, const Access &b, Dangers &result) {
  for (const Level shared : {Level::block, Level::launch})
    if (may_race(scene, a, b, shared))
      if (auto danger = meeting_of(scene, decider, {a, b, shared})) result.push_back(std::move(*danger));
}

}  // namespace

Dangers racing(Scene &scene, Decider &decider, const Behaviour &behaviour, bool aligned) {
  Dangers result;
  std::vector<const Access *> all;
  for (const Access &one : behaviour.accesses) {
    if (one.object < 0) return {{{}, one.instruction, one.why, false}};
    all.push_back(&one);
  }
  const auto stopped = [&](const Access &at) {
    const char *const why = decider.out_of_time()
                                ? decider.stopped_by_clock() ? "time" : "it takes too much work"
                            : aligned ? nullptr
                                      : "it is not known that all threads pass the same barriers";
    if (why != nullptr) result.push_back({{}, at.instruction, why, false});
    return why != nullptr;
  };
  std::set<Symbol> exact;
  const std::vector<Family> families = families_of(scene, all, exact, true);
  for (std::size_t i = 0; i < families.size(); ++i)
    for (std::size_t j = i; j < families.size(); ++j) {
      const Family &x = families[i], &y = families[j];
      if (!may_race(scene, x.whole, y.whole, Level::block) &&
          !may_race(scene, x.whole, y.whole, Level::launch))
        continue;
      if (stopped(x.whole)) return result;
      if (x.members.size() > 1 || y.members.size() > 1) {
        Dangers together;
        add_meetings(scene, decider, x.whole, y.whole, together);
        if (together.empty()) continue;
      }
      for (std::size_t a = 0; a < x.members.size(); ++a)
        for (std::size_t b = i == j ? a : 0; b < y.members.size(); ++b) {
          if (stopped(*x.members[a])) return result;
          add_meetings(scene, decider, *x.members[a], *y.members[b], result);
          if (result.size() >= most_dangers) return result;
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
    const std::string text = scene.symbols.text(one.value);
    static const std::regex counter("\\biteration\\b");  // of a loop; the source has no such name
    const bool made_up = text.find('?') != std::string::npos || std::regex_search(text, counter);
    result.push_back({scene.symbols.complete(std::move(formula)), one.instruction,
                      (made_up ? "a value" : "'" + text + "'") + " may leave the range of its type", true});
  }
  return result;
}

}  // namespace warpgrade::prove
