// Whether every element of an output is written, exactly once. That each is written is shown by saying which thread
// does it, in which iteration: the digits of the element's row and column in the strides of the address.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "prove/check.hpp"

namespace warpgrade::prove {
namespace {

struct Digit {
  Symbol symbol;
  Polynomial weight;
};

/// The coordinates of an address in a buffer, each a sum of symbols with weights; nothing if it has another form.
std::optional<std::vector<Polynomial>> coordinates(const MemoryObject &object, const Polynomial &offset) {
  auto rest = offset.divided_by(object.element_bytes);
  if (!rest) return std::nullopt;
  std::vector<Polynomial> result;
  for (std::size_t d = 0; d + 1 < object.shape.size(); ++d) {
    // The stride of a row is one size, or a product of sizes.
    Polynomial stride(1);
    for (std::size_t e = d + 1; e < object.shape.size(); ++e) stride = stride * object.shape[e];
    if (stride.terms().size() != 1 || stride.terms().begin()->second != 1) return std::nullopt;
    const Monomial factors = stride.terms().begin()->first;
    Polynomial here;
    for (const auto &[monomial, factor] : rest->terms()) {
      if (!std::includes(monomial.begin(), monomial.end(), factors.begin(), factors.end())) continue;
      Polynomial term(factor);
      Monomial left;
      std::set_difference(monomial.begin(), monomial.end(), factors.begin(), factors.end(),
                          std::back_inserter(left));
      for (const Symbol s : left) term = term * Polynomial::of(s);
      here = here + term;
    }
    rest = *rest - here * stride;
    result.push_back(here);
  }
  result.push_back(*rest);
  return result;
}

/// The symbols of one thread in a coordinate, the largest weight first; what has no such symbol is `fixed`.
std::optional<std::vector<Digit>> digits(const Scene &scene, const Polynomial &coordinate,
                                         Polynomial &fixed) {
  std::map<Symbol, Polynomial> weights;
  for (const auto &[monomial, factor] : coordinate.terms()) {
    std::optional<Symbol> own;
    Polynomial weight(factor);
    for (const Symbol s : monomial) {
      if (scene.symbols.level(s) == Level::launch) {
        weight = weight * Polynomial::of(s);
      } else {
        if (own) return std::nullopt;
        own = s;
      }
    }
    if (own)
      weights[*own] = weights[*own] + weight;
    else
      fixed = fixed + weight;
  }
  std::vector<Digit> result;
  for (const auto &[symbol, weight] : weights) {
    if (scene.symbols.range(weight).low < 1) return std::nullopt;
    result.push_back({symbol, weight});
  }
  std::sort(result.begin(), result.end(), [&](const Digit &a, const Digit &b) {
    return scene.symbols.range(a.weight - b.weight).low >= 0 && !(a.weight == b.weight);
  });
  return result;
}

class Cover {
 public:
  Cover(Scene &scene, Decider &decider, const Behaviour &behaviour)
      : scene_(scene), decider_(decider), done_(behaviour) {}

  /// Why it is not known that this store writes every element; nothing if it does.
  std::optional<Danger> gap(const Access &store) {
    const MemoryObject &object = scene_.objects[static_cast<std::size_t>(store.object)];
    const auto unknown = [&](const std::string &why) { return Danger{{}, store.instruction, why, false}; };
    if (store.bytes != object.element_bytes)
      return unknown("a store writes several elements of '" + object.name + "' at once");
    for (const Decision &one : store.at.path)
      if (!one.known) return unknown("whether '" + object.name + "' is written depends on data");
    for (const Symbol s : store.at.iterations)
      if (done_.exact.count(s) == 0) return unknown("the loop around the store may end early");
    const auto where = coordinates(object, store.offset);
    if (!where)
      return unknown("the address in '" + object.name + "' is not taken apart into rows and columns");
    witnesses_.clear();
    hypotheses_ = {};
    for (std::size_t d = 0; d < where->size(); ++d)
      if (!choose((*where)[d], object.shape[d]))
        return unknown("it is not known which thread writes an element of '" + object.name + "'");
    for (const auto *indices : {&scene_.block_index, &scene_.thread_index})
      for (const Polynomial &index : *indices)
        if (!index.constant()) witnesses_.try_emplace(index.terms().begin()->first.front(), Polynomial(0));
    for (const Symbol s : store.at.iterations) witnesses_.try_emplace(s, Polynomial(0));
    return unmet(store, object);
  }

 private:
  /// The values of a coordinate's symbols for a given element.
  bool choose(const Polynomial &coordinate, const Polynomial &extent) {
    Polynomial fixed;
    const auto found = digits(scene_, coordinate, fixed);
    if (!found) return false;
    const auto one = extent.constant();
    const Polynomial element = one && *one == 1
                                   ? Polynomial(0)
                                   : Polynomial::of(scene_.symbols.make(
                                         "element", Level::thread,
                                         {0, std::max<Integer>(scene_.symbols.range(extent).high - 1, 0)}));
    hypotheses_.atoms.push_back(less(element, extent));
    Polynomial rest = element - fixed;
    for (const Digit &digit : *found) {
      if (witnesses_.count(digit.symbol) > 0) return false;
      const bool last = &digit == &found->back();
      if (last && !(digit.weight == Polynomial(1))) return false;
      const Polynomial value = last ? rest : quotient(scene_.symbols, rest, digit.weight);
      witnesses_[digit.symbol] = value;
      rest = rest - value * digit.weight;
    }
    return rest.is_zero();
  }

  Polynomial chosen(Polynomial p) const {
    for (const auto &[symbol, value] : witnesses_) p = p.substitute(symbol, value);
    return p;
  }
  Formula chosen(Formula formula) const {
    for (const auto &[symbol, value] : witnesses_) formula = formula.substitute(symbol, value);
    return formula;
  }

  /// What the chosen thread does not satisfy for some element.
  std::optional<Danger> unmet(const Access &store, const MemoryObject &object) {
    Formula wanted = store.at.formula();
    for (const auto &[symbol, value] : witnesses_) {
      const Range range = scene_.symbols.range(symbol);
      wanted.atoms.push_back(at_least(Polynomial::of(symbol), Polynomial(range.low)));
      if (range.high < Symbols::everything.high)
        wanted.atoms.push_back(at_least(Polynomial(range.high), Polynomial::of(symbol)));
      wanted.add(scene_.symbols.facts(symbol));
    }
    wanted = chosen(std::move(wanted));
    std::set<Symbol> own;  // nothing is taken for granted of what was chosen
    for (const auto &[symbol, value] : witnesses_) own.insert(symbol);
    std::vector<Disjunction> all = wanted.clauses;
    for (const Atom &atom : wanted.atoms) all.push_back({{atom}});
    for (const Disjunction &one : all) {
      Formula against = hypotheses_;
      for (const Conjunction &conjunction : one) {
        Disjunction not_this;
        for (const Atom &atom : conjunction)
          for (Conjunction &other : negation(atom)) not_this.push_back(std::move(other));
        against.add(not_this);
      }
      const Formula whole =
          chosen(scene_.symbols.complete(against, {scene_.grid.begin(), scene_.grid.end()}, own));
      if (decider_.is_empty(whole)) continue;
      return Danger{whole, store.instruction,
                    "no thread is known to write some element of '" + object.name + "'", true};
    }
    return std::nullopt;
  }

  Scene &scene_;
  Decider &decider_;
  const Behaviour &done_;
  std::map<Symbol, Polynomial> witnesses_;
  Formula hypotheses_;
};

/// Two stores to one element, by two threads or by one in two iterations.
std::optional<Danger> twice(Scene &scene, Decider &decider, const Access &a, const Access &b) {
  const auto whole = [&](const Access &access) {
    std::vector<Polynomial> mentioned{access.offset};
    for (const auto *indices : {&scene.block_index, &scene.thread_index})
      mentioned.insert(mentioned.end(), indices->begin(), indices->end());
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

}  // namespace

Dangers unwritten(Scene &scene, Decider &decider, const Behaviour &behaviour) {
  Dangers result;
  const auto is_output = [](const MemoryObject &object) { return object.output; };
  if (std::none_of(scene.objects.begin(), scene.objects.end(), is_output))
    return {{{}, 0, "no buffer is given as an output", false}};
  for (std::size_t o = 0; o < scene.objects.size(); ++o) {
    if (!scene.objects[o].output) continue;
    std::vector<const Access *> stores;
    for (const Access &access : behaviour.accesses) {
      if (access.object >= 0 && access.object != static_cast<int>(o)) continue;
      if (access.kind == Access::Kind::load) continue;
      if (access.object < 0 || access.kind == Access::Kind::atomic)
        return {{{}, access.instruction, access.object < 0 ? access.why : "atomic updates", false}};
      stores.push_back(&access);
    }
    if (stores.empty()) return {{{}, 0, "no store to '" + scene.objects[o].name + "' is found", false}};
    std::optional<Danger> gap;
    bool covered = false;
    for (const Access *store : stores) {
      auto found = Cover(scene, decider, behaviour).gap(*store);
      covered = covered || !found;
      if (found && (!gap || found->possible)) gap = std::move(found);
    }
    if (!covered) result.push_back(std::move(*gap));
    for (std::size_t i = 0; i < stores.size() && result.empty(); ++i)
      for (std::size_t j = i; j < stores.size() && result.empty(); ++j)
        if (auto again = twice(scene, decider, *stores[i], *stores[j])) result.push_back(std::move(*again));
  }
  return result;
}

}  // namespace warpgrade::prove
