#include "prove/cover.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace warpgrade::prove {
namespace {

constexpr std::size_t most_ways = 24;  // in which elements may be left out by several stores

struct Digit {
  Symbol symbol;
  Polynomial weight;
};

/// Whether a symbol of a single thread is subtracted.
bool goes_backwards(const Polynomial &p, const Symbols &symbols) {
  return std::any_of(p.terms().begin(), p.terms().end(), [&](const auto &term) {
    const auto &[monomial, factor] = term;
    return factor < 0 && std::any_of(monomial.begin(), monomial.end(),
                                     [&](Symbol s) { return symbols.level(s) != Level::launch; });
  });
}

/// The coordinates of an address in a buffer, each a sum of symbols with weights; nothing if it has another form.
std::optional<std::vector<Polynomial>> coordinates(const MemoryObject &object, const Polynomial &offset,
                                                   const Symbols &symbols) {
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
    // In row * W + W - 1 - column, the row is `row`: what is left must be from 0 to W - 1.
    const Polynomial left = *rest - here * stride;
    if (goes_backwards(left, symbols) && symbols.range(symbols.shared_part(left)).low < 0)
      here = here - Polynomial(1);
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
  std::stable_sort(result.begin(), result.end(), [&](const Digit &a, const Digit &b) {
    return scene.symbols.range(a.weight - b.weight).low >= 0 && !(a.weight == b.weight);
  });
  return result;
}

class Cover {
 public:
  Cover(Scene &scene, Decider &decider, const std::set<Symbol> &exact)
      : scene_(scene), decider_(decider), exact_(exact) {}

  /// An element that no store is known to write; nothing if there is none.
  std::optional<Danger> gap(const std::vector<Access> &stores) {
    name_element(scene_.objects[static_cast<std::size_t>(stores.front().object)]);
    std::optional<Danger> first;
    std::vector<Formula> unwritten{
        {}};  // the elements that no store so far is known to write: those of any of these
    for (const Access &store : stores) {
      std::vector<Formula> left;
      auto unknown = choose_thread(store, left);
      if (unknown) {
        if (!first) first = std::move(unknown);
        continue;
      }
      std::vector<Formula> both;
      for (const Formula &before : unwritten)
        for (const Formula &here : left) {
          Formula one = before;
          one.add(here);
          if (decider_.is_empty(one, Look::integers)) continue;
          if (both.size() == most_ways) return gap_in(store, one);
          both.push_back(std::move(one));
        }
      unwritten = std::move(both);
      if (unwritten.empty()) return std::nullopt;
      if (!first || !first->possible) first = gap_in(store, unwritten.front());
    }
    std::erase_if(unwritten, [&](const Formula &one) { return decider_.is_empty(one); });
    if (unwritten.empty()) return std::nullopt;
    if (first->possible) first->formula = unwritten.front();
    return first;
  }

 private:
  void name_element(const MemoryObject &object) {
    for (const Polynomial &extent : object.shape) {
      const auto one = extent.constant();
      const Integer most = std::max<Integer>(scene_.symbols.range(extent - Polynomial(1)).high, 0);
      elements_.push_back(one && *one == 1
                              ? Polynomial(0)
                              : Polynomial::of(scene_.symbols.make("element", Level::launch, {0, most})));
      hypotheses_.atoms.push_back(less(elements_.back(), extent));
    }
  }

  /// A symbol, such as threadIdx.x, of which the address contains a quotient: quotient * divisor + rest.
  struct Parts {
    Symbol whole = 0, quotient = 0, rest = 0;
    Polynomial divisor;
  };

  /// The address with quotients and rests in place of what was divided.
  Polynomial divided(Polynomial offset) {
    std::set<Symbol> tried;
    for (bool again = true; again;) {
      again = false;
      for (const auto &[monomial, factor] : offset.terms()) {
        const auto next =
            std::find_if(monomial.begin(), monomial.end(), [&](Symbol s) { return tried.insert(s).second; });
        if (next == monomial.end()) continue;
        again = true;
        if (const auto parts = parts_by(*next)) {
          offset = with_parts(offset, *parts);
          parts_.push_back(*parts);
        }
        break;
      }
    }
    return offset;
  }

  static Polynomial with_parts(const Polynomial &p, const Parts &parts) {
    return p.substitute(parts.whole,
                        Polynomial::of(parts.quotient) * parts.divisor + Polynomial::of(parts.rest));
  }

  /// What a symbol is the quotient of: its facts are whole - quotient * divisor >= 0 and < divisor.
  std::optional<Parts> parts_by(Symbol quotient) {
    const std::vector<Atom> facts = scene_.symbols.facts(quotient).atoms;
    for (const Atom &low : facts)
      for (const Atom &high : facts) {
        const Polynomial divisor = low.polynomial + high.polynomial + Polynomial(1);
        if (divisor.contains(quotient)) continue;
        if (auto parts = parts_of(quotient, low.polynomial + Polynomial::of(quotient) * divisor, divisor))
          return parts;
      }
    // (threadIdx.x / 8) / 2, where threadIdx.x / 8 is no part of the address: threadIdx.x / 16.
    const auto fraction = scene_.symbols.fraction_of(quotient);
    return fraction ? parts_of(quotient, fraction->first, fraction->second) : std::nullopt;
  }

  std::optional<Parts> parts_of(Symbol quotient, Polynomial whole, const Polynomial &divisor) {
    for (const Parts &one : parts_) whole = with_parts(whole, one);
    if (scene_.symbols.level(divisor) != Level::launch) return std::nullopt;
    if (whole.terms().size() != 1 || whole.degree() != 1 || whole.terms().begin()->second != 1)
      return std::nullopt;
    const Symbol symbol = symbol_of(whole);
    if (symbol == quotient || free_.count(symbol) == 0) return std::nullopt;
    const Integer most = scene_.symbols.range(divisor - Polynomial(1)).high;
    const Symbol left = scene_.symbols.make("rest", scene_.symbols.level(symbol), {0, most});
    scene_.symbols.define(left, {{less(Polynomial::of(left), divisor)}, {}});
    free_.insert({quotient, left});
    return Parts{symbol, quotient, left, divisor};
  }

  /// The values of what was divided, from those of its parts.
  void join_parts() {
    for (auto parts = parts_.rbegin(); parts != parts_.rend(); ++parts) {
      const auto value = [&](Symbol s) { return witnesses_.try_emplace(s, Polynomial(0)).first->second; };
      witnesses_[parts->whole] = value(parts->quotient) * parts->divisor + value(parts->rest);
    }
  }

  using Digits = std::vector<Digit>::const_iterator;

  /// Whether a number, with whatever these digits add, is at least 0 and below the weight of the digit before them.
  bool is_below(const Polynomial &number, Digits from, Digits end, const Polynomial &weight) const {
    Polynomial most = number;
    for (; from != end; ++from)
      most = most + from->weight * Polynomial(scene_.symbols.range(from->symbol).high);
    return !number.is_zero() && scene_.symbols.range(number).low >= 0 &&
           scene_.symbols.range(weight - most).low > 0;
  }

  /// The values of a coordinate's symbols for a given element.
  bool choose(const Polynomial &coordinate, const Polynomial &element, const Polynomial &extent) {
    if (choose_digits(coordinate, element, &extent)) return true;
    // Backwards, as in n - 1 - i.
    if (choose_digits(-coordinate, -element, nullptr)) return true;
    // Forwards by tiles and backwards in each, as in 256 * blockIdx.x + 255 - threadIdx.x.
    Polynomial turned = coordinate;
    std::map<Symbol, Polynomial> last;
    for (const auto &[monomial, factor] : coordinate.terms()) {
      if (factor > 0 || monomial.size() != 1 || free_.count(monomial.front()) == 0) continue;
      const auto end = last_of(monomial.front());
      if (!end) return false;
      last[monomial.front()] = *end;
      turned = turned.substitute(monomial.front(), *end - Polynomial::of(monomial.front()));
    }
    if (last.empty() || !choose_digits(turned, element, &extent)) return false;
    for (const auto &[symbol, end] : last) witnesses_[symbol] = end - witnesses_[symbol];
    return true;
  }

  /// The largest value of an index, or of a part of one; nothing for what has no limit of its own.
  std::optional<Polynomial> last_of(Symbol symbol) const {
    for (std::size_t d = 0; d < 3; ++d) {
      if (scene_.block_index[d] == Polynomial::of(symbol)) return scene_.grid[d] - Polynomial(1);
      if (scene_.thread_index[d] == Polynomial::of(symbol)) return scene_.block[d] - Polynomial(1);
    }
    const Integer high = scene_.symbols.range(symbol).high;
    if (high >= Integer{1} << 31) return std::nullopt;
    return Polynomial(high);
  }

  /// The same where all weights are positive.
  /// extent  above the element, which is at least 0; null: the element is a negative number
  bool choose_digits(const Polynomial &coordinate, const Polynomial &element, const Polynomial *extent) {
    Polynomial fixed;
    const auto found = digits(scene_, coordinate, fixed);
    if (!found) return false;
    for (const Digit &digit : *found)  // data, and what depends on them, cannot be chosen
      if (free_.count(digit.symbol) == 0 || witnesses_.count(digit.symbol) > 0) return false;
    // A constant that the digits behind it make no carry of may wait: (e - 7) / 128 and e / 128 are one symbol then.
    Polynomial rest = element, waiting = fixed;
    for (auto at = found->begin(); at != found->end(); ++at) {
      const Digit &digit = *at;
      if (!is_below(waiting, std::next(at), found->end(), digit.weight)) {
        rest = rest - waiting;
        waiting = {};
      }
      const Polynomial value =
          digit.weight == Polynomial(1) ? rest : quotient(scene_.symbols, rest, digit.weight);
      witnesses_[digit.symbol] = value;
      // The number of a tile is below the number of tiles. Said in these words, for grids that multiply numbers of tiles.
      if (extent != nullptr && digit.weight != Polynomial(1) && rest == element && digit.weight.constant())
        hypotheses_.atoms.push_back(
            less(value, quotient(scene_.symbols, *extent + digit.weight - Polynomial(1), digit.weight)));
      rest = rest - value * digit.weight;
    }
    rest = rest - waiting;
    if (!rest.is_zero()) wanted_.atoms.push_back(is_zero(rest));  // other elements are other stores' matter
    return true;
  }

  Formula chosen(Formula formula) const {
    for (const auto &[symbol, value] : witnesses_) formula = formula.substitute(symbol, value);
    return formula;
  }

  /// Chooses the thread and adds what it does not satisfy for some elements; or says why none can be chosen.
  std::optional<Danger> choose_thread(const Access &store, std::vector<Formula> &unmet) {
    const MemoryObject &object = scene_.objects[static_cast<std::size_t>(store.object)];
    const auto unknown = [&](const std::string &why) { return Danger{{}, store.instruction, why, false}; };
    if (store.bytes != object.element_bytes)
      return unknown("a store writes a part of an element of '" + object.name + "'");
    for (const Decision &one : store.at.path)
      if (!one.known) return unknown("whether '" + object.name + "' is written depends on data");
    for (const Symbol s : store.at.iterations)
      if (exact_.count(s) == 0) return unknown("the loop around the store may end early");
    parts_.clear();
    witnesses_.clear();
    wanted_ = {};
    free_ = {store.at.iterations.begin(), store.at.iterations.end()};
    for (const auto *indices : {&scene_.block_index, &scene_.thread_index})
      for (const Polynomial &index : *indices)
        if (!index.constant()) free_.insert(symbol_of(index));
    if (!scene_.turn.constant()) free_.insert(symbol_of(scene_.turn));
    const std::vector<Symbol> choices(free_.begin(), free_.end());
    const auto where = coordinates(object, divided(store.offset), scene_.symbols);
    if (!where)
      return unknown("the address in '" + object.name + "' is not taken apart into rows and columns");
    for (std::size_t d = 0; d < where->size(); ++d)
      if (!choose((*where)[d], elements_[d], object.shape[d]))
        return unknown("it is not known which thread writes an element of '" + object.name + "'");
    join_parts();
    for (const Symbol s : choices) witnesses_.try_emplace(s, Polynomial(0));
    add_unmet(store, unmet);
    return std::nullopt;
  }

  /// What must hold of the thread that writes an element: it exists.
  Formula existence() const {
    Formula all = wanted_;
    for (const auto &[symbol, value] : witnesses_) {
      const Range range = scene_.symbols.range(symbol);
      all.atoms.push_back(at_least(Polynomial::of(symbol), Polynomial(range.low)));
      if (range.high < Symbols::everything.high)
        all.atoms.push_back(at_least(Polynomial(range.high), Polynomial::of(symbol)));
      all.add(scene_.symbols.facts(symbol));
    }
    return all;
  }

  /// The elements whose thread does not exist, or does not come to the store.
  void add_unmet(const Access &store, std::vector<Formula> &unmet) {
    Formula known = hypotheses_;
    const Formula exists = existence();
    for (const Disjunction &clause : exists.clauses) add_unmet(clause, known, unmet);
    for (const Atom &atom : exists.atoms) add_unmet({{atom}}, known, unmet);
    // Of a decision, only what was decided before it may be taken for granted.
    for (const Decision &one : store.at.path) {
      if (!one.fact) add_unmet(one.cases, known, unmet);
      known.add(one.cases);
    }
  }

  /// The elements for which this does not hold, though all that is known does.
  void add_unmet(const Disjunction &wanted, const Formula &known, std::vector<Formula> &unmet) {
    std::set<Symbol> own;  // nothing is taken for granted of what was chosen
    for (const auto &[symbol, value] : witnesses_) own.insert(symbol);
    Formula against = known;
    for (const Conjunction &conjunction : wanted) {
      Disjunction not_this;
      for (const Atom &atom : conjunction)
        for (Conjunction &other : negation(atom)) not_this.push_back(std::move(other));
      against.add(not_this);
    }
    const Formula whole = chosen(
        scene_.symbols.complete(chosen(std::move(against)), {scene_.grid.begin(), scene_.grid.end()}, own));
    if (decider_.is_empty(whole, Look::integers)) return;
    // Each store has its own thread, so its symbols are renamed.
    unmet.push_back(whole.rename(scene_.symbols.further_thread(whole, Level::launch)));
  }

  Danger gap_in(const Access &store, Formula formula) const {
    const std::string &name = scene_.objects[static_cast<std::size_t>(store.object)].name;
    return {std::move(formula), store.instruction,
            "no thread is known to write some element of '" + name + "'", true};
  }

  Scene &scene_;
  Decider &decider_;
  const std::set<Symbol> &exact_;
  std::vector<Parts> parts_;  // each of what is left of those before
  std::set<Symbol> free_;     // indices and iterations, and their parts: what a thread is chosen by
  std::map<Symbol, Polynomial> witnesses_;
  std::vector<Polynomial> elements_;  // the place of any element, by dimension
  Formula hypotheses_;
  Formula wanted_;  // of the element, so that the store writes it
};

}  // namespace

namespace {

/// Of a buffer of W * H elements, the rows and columns that it may have: W rows of H, and H of W. One that is given in rows
/// may be written as if it had none, as by A[W * H - 1 - i].
std::vector<std::vector<Polynomial>> possible_shapes(const Scene &scene, const MemoryObject &object) {
  std::vector<std::vector<Polynomial>> result;
  if (object.shape.size() > 1) {
    Polynomial elements(1);
    for (const Polynomial &extent : object.shape) elements = elements * extent;
    return {{elements}};
  }
  if (object.shape.size() != 1 || object.shape.front().terms().size() != 1) return result;
  Monomial factors = object.shape.front().terms().begin()->first;
  const Integer number = object.shape.front().terms().begin()->second;
  constexpr std::size_t most_sides = 3;
  const bool sides =
      std::all_of(factors.begin(), factors.end(), [&](Symbol s) { return scene.symbols.range(s).low >= 0; });
  if (number != 1 || factors.size() < 2 || factors.size() > most_sides || !sides) return result;
  do {
    std::vector<Polynomial> &shape = result.emplace_back();
    for (const Symbol s : factors) shape.push_back(Polynomial::of(s));
  } while (std::next_permutation(factors.begin(), factors.end()));
  return result;
}

}  // namespace

std::optional<Danger> gap_of(Scene &scene, Decider &decider, const std::set<Symbol> &exact,
                             const std::vector<Access> &stores) {
  std::optional<Danger> result = Cover(scene, decider, exact).gap(stores);
  MemoryObject &object = scene.objects[static_cast<std::size_t>(stores.front().object)];
  for (std::vector<Polynomial> &shape : possible_shapes(scene, object)) {
    if (!result) break;
    std::swap(object.shape, shape);
    if (!Cover(scene, decider, exact).gap(stores)) result.reset();
    std::swap(object.shape, shape);
  }
  return result;
}

}  // namespace warpgrade::prove
