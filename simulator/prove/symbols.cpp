#include "prove/symbols.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace warpgrade::prove {
namespace {

constexpr Integer limit = Integer{1} << 70;

Integer clamp(Integer n) {
  return std::clamp(n, -limit, limit);
}

Integer times(Integer a, Integer b) {
  Integer result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return (a < 0) == (b < 0) ? limit : -limit;
  return clamp(result);
}

Range times(Range a, Range b) {
  const Integer all[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                         times(a.high, b.high)};
  return {*std::min_element(std::begin(all), std::end(all)),
          *std::max_element(std::begin(all), std::end(all))};
}

void collect(const Polynomial &p, std::vector<Symbol> &into) {
  for (const auto &[monomial, factor] : p.terms()) into.insert(into.end(), monomial.begin(), monomial.end());
}

std::vector<Symbol> symbols_in(const Formula &formula) {
  std::vector<Symbol> found;
  for (const Atom &atom : formula.atoms) collect(atom.polynomial, found);
  for (const Disjunction &clause : formula.clauses)
    for (const Conjunction &one : clause)
      for (const Atom &atom : one) collect(atom.polynomial, found);
  return found;
}

Integer divisor_of_both(Integer a, Integer b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

Integer floor_quotient(Integer a, Integer b) {
  return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}

}  // namespace

Symbol Symbols::make(std::string name, Level level, Range range) {
  all_.push_back({std::move(name), level, range, {}});
  return static_cast<Symbol>(all_.size()) - 1;
}

Range range_of(int width, bool is_signed) {
  const Integer all = Integer{1} << width;
  return is_signed ? Range{-all / 2, all / 2 - 1} : Range{0, all - 1};
}

void Symbols::narrow(Symbol s, Range to) {
  Range &range = all_[static_cast<std::size_t>(s)].range;
  range = {std::max(range.low, to.low), std::min(range.high, to.high)};
}

Level Symbols::level(const Polynomial &p) const {
  Level result = Level::launch;
  for (const auto &[monomial, factor] : p.terms())
    for (const Symbol s : monomial) result = std::max(result, level(s));
  return result;
}

Level Symbols::level(const Disjunction &cases) const {
  Level result = Level::launch;
  for (const Conjunction &one : cases)
    for (const Atom &atom : one) result = std::max(result, level(atom.polynomial));
  return result;
}

Range Symbols::range(const Polynomial &p) const {
  Range sum{0, 0};
  for (const auto &[monomial, factor] : p.terms()) {
    Range term{factor, factor};
    for (const Symbol s : monomial) term = times(term, all_[static_cast<std::size_t>(s)].range);
    // An end that is no bound stays none, whatever is added.
    sum = {sum.low == -limit || term.low == -limit ? -limit : clamp(sum.low + term.low),
           sum.high == limit || term.high == limit ? limit : clamp(sum.high + term.high)};
  }
  return sum;
}

Polynomial Symbols::shared_part(const Polynomial &p) const {
  Polynomial result;
  for (const auto &[monomial, factor] : p.terms()) {
    const bool shared =
        std::all_of(monomial.begin(), monomial.end(), [&](Symbol s) { return level(s) == Level::launch; });
    if (!shared) continue;
    Polynomial term(factor);
    for (const Symbol s : monomial) term = term * Polynomial::of(s);
    result = result + term;
  }
  return result;
}

Formula Symbols::complete(Formula formula, const std::vector<Polynomial> &mentioned,
                          const std::set<Symbol> &without) const {
  std::set<Symbol> done = without;
  std::vector<Symbol> open = symbols_in(formula);
  for (const Polynomial &p : mentioned) collect(p, open);
  while (!open.empty()) {
    const Symbol s = open.back();
    open.pop_back();
    if (!done.insert(s).second) continue;
    const Known &known = all_[static_cast<std::size_t>(s)];
    if (known.range.low > -limit)
      formula.atoms.push_back(at_least(Polynomial::of(s), Polynomial(known.range.low)));
    if (known.range.high < limit)
      formula.atoms.push_back(at_least(Polynomial(known.range.high), Polynomial::of(s)));
    formula.add(known.facts);
    const std::vector<Symbol> more = symbols_in(known.facts);
    open.insert(open.end(), more.begin(), more.end());
  }
  return formula;
}

std::vector<Symbol> Symbols::made_of(Symbol of, const Formula &formula,
                                     const std::vector<Polynomial> &mentioned) const {
  std::map<Symbol, std::vector<Symbol>> parts;  // the symbols in its facts
  std::vector<Symbol> open = symbols_in(formula);
  for (const Polynomial &p : mentioned) collect(p, open);
  while (!open.empty()) {
    const Symbol s = open.back();
    open.pop_back();
    if (s <= of || parts.count(s) > 0) continue;
    parts[s] = symbols_in(facts(s));
    open.insert(open.end(), parts[s].begin(), parts[s].end());
  }
  std::set<Symbol> found{of};
  for (bool again = true; again;) {
    again = false;
    for (const auto &[s, own] : parts)
      if (found.count(s) == 0 &&
          std::any_of(own.begin(), own.end(), [&](Symbol part) { return found.count(part) > 0; }))
        again = found.insert(s).second;
  }
  found.erase(of);
  return {found.begin(), found.end()};
}

std::map<Symbol, Symbol> Symbols::other_thread(const Formula &complete_formula, Level shared) {
  std::map<Symbol, Symbol> copies;
  for (const Symbol s : symbols_in(complete_formula)) {
    if (level(s) <= shared || copies.count(s) > 0) continue;
    const auto found = copies_.find({s, shared});
    if (found != copies_.end()) {
      copies[s] = found->second;
      continue;
    }
    const Known known = all_[static_cast<std::size_t>(s)];
    copies_[{s, shared}] = copies[s] = make(known.name + "'", known.level, known.range);
  }
  return copies;
}

std::map<Symbol, Symbol> Symbols::further_thread(const Formula &complete_formula, Level shared) {
  std::map<Symbol, Symbol> copies;
  for (const Symbol s : symbols_in(complete_formula)) {
    if (level(s) <= shared || copies.count(s) > 0) continue;
    const Known known = all_[static_cast<std::size_t>(s)];
    copies[s] = make(known.name + "'", known.level, known.range);
  }
  return copies;
}

/// A quotient of a quotient by numbers, as one.
Symbols::Fraction Symbols::flat(Fraction given) const {
  const Integer constant = given.first.coefficient({});
  const Polynomial inner = given.first - Polynomial(constant);
  if (!given.second.constant() || inner.terms().size() != 1) return given;
  const auto &[monomial, factor] = *inner.terms().begin();
  if (factor != 1 || monomial.size() != 1) return given;
  const auto found = fractions_.find(monomial.front());
  if (found == fractions_.end() || !found->second.second.constant()) return given;
  const auto &[of, divisor] = found->second;
  return {of + divisor * Polynomial(constant), divisor * given.second};
}

std::optional<Symbol> Symbols::quotient_of(const Polynomial &p, const Polynomial &divisor) const {
  const auto found = quotients_.find(flat({p, divisor}));
  return found == quotients_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Symbols::Fraction> Symbols::fraction_of(Symbol s) const {
  const auto found = fractions_.find(s);
  return found == fractions_.end() ? std::nullopt : std::optional(found->second);
}

void Symbols::remember_quotient(const Polynomial &p, const Polynomial &divisor, Symbol s) {
  const Fraction all = flat({p, divisor});
  quotients_[all] = s;
  fractions_[s] = all;
}

std::string Symbols::text(const Polynomial &p) const {
  if (p.is_zero()) return "0";
  std::string result;
  for (const auto &[monomial, factor] : p.terms()) {
    const bool negative = factor < 0;
    if (!result.empty())
      result += negative ? " - " : " + ";
    else if (negative)
      result += "-";
    const Integer size = negative ? -factor : factor;
    if (size != 1 || monomial.empty()) result += std::to_string(static_cast<std::int64_t>(size));
    for (std::size_t i = 0; i < monomial.size(); ++i)
      result += (i > 0 || size != 1 ? "*" : "") + name(monomial[i]);
  }
  return result;
}

std::optional<TwoValues> two_values_of(const Symbols &symbols, const Polynomial &p) {
  const Integer zero = p.coefficient({});
  if (p.degree() != 1 || p.terms().size() != (zero != 0 ? 2u : 1u)) return std::nullopt;
  const auto &[monomial, factor] = *p.terms().rbegin();
  const Range range = symbols.range(monomial.front());
  if (range.low != 0 || range.high != 1) return std::nullopt;
  return TwoValues{monomial.front(), zero, zero + factor};
}

Polynomial quotient(Symbols &symbols, const Polynomial &p, const Polynomial &divisor) {
  const auto by = divisor.constant();
  if (by && *by == 1) return p;
  if (by) {
    if (const auto exact = p.divided_by(*by)) return *exact;
    if (const auto two = two_values_of(symbols, p))
      return two->with(floor_quotient(two->zero, *by), floor_quotient(two->one, *by));
    // (4 * x + 3) / 8 is x / 2: one symbol for one number.
    if (const Integer common = divisor_of_both(p.common_divisor(), *by); common > 1) {
      const Integer constant = p.coefficient({});
      const Integer rest = constant - floor_quotient(constant, common) * common;
      return quotient(symbols, *(p - Polynomial(rest)).divided_by(common), Polynomial(*by / common));
    }
  }
  const Range range = symbols.range(p);
  Range result = range;
  if (by) {
    // An end that is no bound stays none.
    if (range.low != -limit) result.low = floor_quotient(range.low, *by);
    if (range.high != limit) result.high = floor_quotient(range.high, *by);
    if (result.low == result.high) return Polynomial(result.low);
  } else {
    result.low = std::min<Integer>(range.low, 0);
    result.high = std::max<Integer>(range.high, 0);
  }
  if (const auto known = symbols.quotient_of(p, divisor)) return Polynomial::of(*known);
  const Symbol q = symbols.make("(" + symbols.text(p) + ")/(" + symbols.text(divisor) + ")",
                                std::max(symbols.level(p), symbols.level(divisor)), result);
  const Polynomial rest = p - Polynomial::of(q) * divisor;
  symbols.define(q, {{at_least_zero(rest), less(rest, divisor)}, {}});
  symbols.remember_quotient(p, divisor, q);
  return Polynomial::of(q);
}

Polynomial smaller(Symbols &symbols, const Polynomial &a, const Polynomial &b) {
  const Range x = symbols.range(a - b);
  if (x.high <= 0) return a;
  if (x.low >= 0) return b;
  const Range u = symbols.range(a), v = symbols.range(b);
  const Symbol s = symbols.make("min(" + symbols.text(a) + ", " + symbols.text(b) + ")",
                                std::max(symbols.level(a), symbols.level(b)),
                                {std::min(u.low, v.low), std::min(u.high, v.high)});
  const Polynomial m = Polynomial::of(s);
  symbols.define(s, {{at_least(a, m), at_least(b, m)}, {{{equal(m, a)}, {equal(m, b)}}}});
  return m;
}

Polynomial larger(Symbols &symbols, const Polynomial &a, const Polynomial &b) {
  return -smaller(symbols, -a, -b);
}

}  // namespace warpgrade::prove
