#include "prove/decider.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "prove/linear.hpp"

namespace warpgrade::prove {
namespace {

constexpr int most_conjunctions = 300;        // of one question
constexpr std::size_t most_atoms = 400;       // with products
constexpr std::size_t most_products_of = 90;  // atoms, of which pairs are multiplied

/// A symbol that an equality gives as a polynomial of others.
std::optional<std::pair<Symbol, Polynomial>> solved(const Polynomial &p) {
  for (const auto &[monomial, factor] : p.terms()) {
    if (monomial.size() != 1 || (factor != 1 && factor != -1)) continue;
    const Symbol s = monomial.front();
    const Polynomial rest = p - Polynomial(factor) * Polynomial::of(s);
    if (rest.contains(s)) continue;
    return std::pair(s, factor == 1 ? -rest : rest);
  }
  return std::nullopt;
}

/// Divides by what all coefficients share, rounding the constant of an inequality. False: it never holds.
bool tighten(Atom &atom) {
  const Integer divisor = atom.polynomial.common_divisor();
  if (divisor == 0) {
    const Integer value = *atom.polynomial.constant();
    return atom.equality ? value == 0 : value >= 0;
  }
  if (divisor == 1) return true;
  const Integer constant = atom.polynomial.coefficient({});
  Integer rest = constant % divisor;
  if (rest < 0) rest += divisor;
  if (atom.equality && rest != 0) return false;
  atom.polynomial = *(atom.polynomial - Polynomial(rest)).divided_by(divisor);
  return true;
}

struct Solved {
  std::vector<std::pair<Symbol, Polynomial>> values;  ///< in the order of substitution
};

/// Replaces symbols that equalities determine. False: there is no solution.
bool eliminate(Conjunction &atoms, Solved &solved_symbols) {
  for (bool again = true; again;) {
    again = false;
    for (Atom &atom : atoms)
      if (!tighten(atom)) return false;
    std::erase_if(atoms, [](const Atom &a) { return a.polynomial.constant().has_value(); });
    for (const Atom &atom : atoms) {
      if (!atom.equality) continue;
      const auto found = solved(atom.polynomial);
      if (!found) continue;
      for (Atom &one : atoms) one.polynomial = one.polynomial.substitute(found->first, found->second);
      solved_symbols.values.push_back(*found);
      again = true;
      break;
    }
  }
  std::sort(atoms.begin(), atoms.end());
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
  return true;
}

std::set<Monomial> products_in(const Conjunction &atoms) {
  std::set<Monomial> found;
  for (const Atom &atom : atoms)
    for (const auto &[monomial, factor] : atom.polynomial.terms())
      if (monomial.size() > 1) found.insert(monomial);
  return found;
}

/// Whether the product of two polynomials brings no monomial that is not there.
bool stays_within(const Polynomial &a, const Polynomial &b, const std::set<Monomial> &there) {
  bool any = false;
  for (const auto &[x, factor_x] : a.terms())
    for (const auto &[y, factor_y] : b.terms()) {
      if (x.size() + y.size() < 2 || x.empty() || y.empty()) continue;
      Monomial both(x.size() + y.size());
      std::merge(x.begin(), x.end(), y.begin(), y.end(), both.begin());
      if (there.count(both) == 0) return false;
      any = true;
    }
  return any;
}

/// The product of two numbers that are not negative is not negative; that of zero and anything is zero.
void add_products(Conjunction &atoms) {
  const std::set<Monomial> there = products_in(atoms);
  if (there.empty()) return;
  std::set<Symbol> factors;
  for (const Monomial &m : there) factors.insert(m.begin(), m.end());
  const std::size_t first = std::min(atoms.size(), most_products_of);
  Conjunction more;
  for (std::size_t i = 0; i < first; ++i) {
    for (std::size_t j = i; j < first && atoms.size() + more.size() < most_atoms; ++j) {
      const Polynomial &a = atoms[i].polynomial, &b = atoms[j].polynomial;
      if (stays_within(a, b, there)) more.push_back({a * b, atoms[i].equality || atoms[j].equality});
    }
    if (atoms[i].equality)
      for (const Symbol s : factors)
        if (stays_within(atoms[i].polynomial, Polynomial::of(s), there))
          more.push_back(is_zero(atoms[i].polynomial * Polynomial::of(s)));
  }
  atoms.insert(atoms.end(), more.begin(), more.end());
}

/// The lower bound of a symbol that is not negative: what is multiplied by it keeps its sign.
std::optional<Polynomial> bound_of(const Conjunction &atoms, Symbol s) {
  for (const Atom &atom : atoms) {
    const Polynomial rest = atom.polynomial - Polynomial::of(s);
    if (!atom.equality && rest.constant() && *rest.constant() <= 0) return atom.polynomial;
  }
  return std::nullopt;
}

/// The symbol by which a product is a multiple of `stride`.
std::optional<Symbol> partner_of(const Monomial &product, const Monomial &stride) {
  if (product.size() != stride.size() + 1) return std::nullopt;
  Monomial rest;
  std::set_difference(product.begin(), product.end(), stride.begin(), stride.end(), std::back_inserter(rest));
  return rest.size() == 1 ? std::optional(rest.front()) : std::nullopt;
}

/// Symbols that products with `stride` have, and those that plain atoms tie to them.
std::set<Symbol> partners_of(const Conjunction &plain, const std::set<Monomial> &products,
                             const Monomial &stride) {
  std::set<Symbol> partners;
  for (const Monomial &m : products)
    if (const auto partner = partner_of(m, stride)) partners.insert(*partner);
  if (partners.size() < 2) return {};
  std::set<Symbol> all = partners;
  for (const Atom &atom : plain) {
    const Polynomial &p = atom.polynomial;
    if (p.degree() != 1 || p.terms().size() > 6) continue;
    if (std::any_of(partners.begin(), partners.end(), [&](Symbol s) { return p.contains(s); }))
      for (const auto &[monomial, factor] : p.terms()) all.insert(monomial.begin(), monomial.end());
  }
  return all;
}

/// A product of sizes as a polynomial that is not negative; of one size, less its lower bound.
std::optional<Polynomial> stride_factor(const Conjunction &plain, const Monomial &stride) {
  Polynomial product(1);
  for (const Symbol s : stride) {
    const auto bound = bound_of(plain, s);
    if (!bound) return std::nullopt;
    product = product * (stride.size() == 1 ? *bound : Polynomial::of(s));
  }
  return product;
}

void add_stride(Conjunction &atoms, const Conjunction &plain, const Monomial &stride) {
  const auto factor = stride_factor(plain, stride);
  if (!factor) return;
  const std::set<Symbol> with = partners_of(plain, products_in(atoms), stride);
  Polynomial product(1);
  for (const Symbol s : stride) product = product * Polynomial::of(s);
  for (const Atom &atom : plain) {
    const Polynomial &p = atom.polynomial;
    if (atoms.size() > most_atoms || p.degree() != 1) continue;
    const bool tied = std::all_of(p.terms().begin(), p.terms().end(), [&](const auto &term) {
      return term.first.empty() || with.count(term.first.front()) > 0;
    });
    if (tied) atoms.push_back({p * (atom.equality ? product : *factor), atom.equality});
  }
}

/// A size, or a product of sizes, that multiplies several symbols is a stride; what ties these symbols to others is
/// multiplied by it too. The longest first: of `height * width * plane` come products with `width`.
void add_strides(Conjunction &atoms) {
  const Conjunction plain = atoms;
  std::set<Monomial> long_strides;
  for (const Monomial &m : products_in(plain))
    for (std::size_t i = 0; m.size() > 2 && i < m.size(); ++i) {
      Monomial rest = m;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      long_strides.insert(rest);
    }
  for (const Monomial &stride : long_strides) add_stride(atoms, plain, stride);
  std::set<Symbol> factors;
  for (const Monomial &m : products_in(atoms)) factors.insert(m.begin(), m.end());
  for (const Symbol s : factors) add_stride(atoms, plain, {s});
}

/// An upper limit of a size or of a buffer, which is so large that only overflow has to do with it.
bool is_limit(const Atom &atom) {
  return !atom.equality && atom.polynomial.coefficient({}) >= (Integer{1} << 28);
}

/// Parts that share no symbol: if one has no solution, the whole has none.
std::vector<Conjunction> parts_of(const Conjunction &atoms) {
  std::map<Symbol, std::size_t> part_of_symbol;
  std::vector<Conjunction> parts;
  for (const Atom &atom : atoms) {
    std::set<std::size_t> touched;
    std::set<Symbol> symbols;
    for (const auto &[monomial, factor] : atom.polynomial.terms())
      symbols.insert(monomial.begin(), monomial.end());
    for (const Symbol s : symbols)
      if (const auto found = part_of_symbol.find(s); found != part_of_symbol.end())
        touched.insert(found->second);
    const std::size_t to = touched.empty() ? parts.size() : *touched.begin();
    if (touched.empty()) parts.emplace_back();
    parts[to].push_back(atom);
    for (const std::size_t from : touched)
      if (from != to) {
        parts[to].insert(parts[to].end(), parts[from].begin(), parts[from].end());
        parts[from].clear();
      }
    for (auto &[symbol, part] : part_of_symbol)
      if (touched.count(part) > 0) part = to;
    for (const Symbol s : symbols) part_of_symbol[s] = to;
  }
  std::erase_if(parts, [](const Conjunction &one) { return one.empty(); });
  for (Conjunction &one : parts) std::sort(one.begin(), one.end());
  return parts;
}

bool satisfies(const Conjunction &atoms, const std::map<Symbol, Integer> &point) {
  return std::all_of(atoms.begin(), atoms.end(), [&](const Atom &atom) {
    const Integer value = value_of(atom.polynomial, point);
    return atom.equality ? value == 0 : value >= 0;
  });
}

}  // namespace

Integer value_of(const Polynomial &p, const std::map<Symbol, Integer> &point) {
  Polynomial sum;
  for (const auto &[monomial, factor] : p.terms()) {
    Polynomial term(factor);
    for (const Symbol s : monomial) {
      const auto found = point.find(s);
      term = term * Polynomial(found == point.end() ? Integer{0} : found->second);
    }
    sum = sum + term;
  }
  return *sum.constant();
}

void Formula::add(const Formula &other) {
  atoms.insert(atoms.end(), other.atoms.begin(), other.atoms.end());
  clauses.insert(clauses.end(), other.clauses.begin(), other.clauses.end());
}

void Formula::add(const Disjunction &cases) {
  if (cases.size() == 1)
    atoms.insert(atoms.end(), cases.front().begin(), cases.front().end());
  else
    clauses.push_back(cases);
}

Formula Formula::rename(const std::map<Symbol, Symbol> &names) const {
  Formula result = *this;
  for (Atom &atom : result.atoms) atom.polynomial = atom.polynomial.rename(names);
  for (Disjunction &clause : result.clauses)
    for (Conjunction &one : clause)
      for (Atom &atom : one) atom.polynomial = atom.polynomial.rename(names);
  return result;
}

Formula Formula::substitute(Symbol s, const Polynomial &by) const {
  Formula result = *this;
  for (Atom &atom : result.atoms) atom.polynomial = atom.polynomial.substitute(s, by);
  for (Disjunction &clause : result.clauses)
    for (Conjunction &one : clause)
      for (Atom &atom : one) atom.polynomial = atom.polynomial.substitute(s, by);
  return result;
}

struct Decider::Library {
  LinearSolver solver;
};

Decider::Decider(double seconds, std::uint64_t work)
    : library_(std::make_unique<Library>()),
      deadline_(std::chrono::steady_clock::now() +
                std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6))),
      most_work_(work) {}
Decider::~Decider() = default;

bool Decider::out_of_time() const {
  if (most_work_ > 0 && work_ >= most_work_) return true;
  late_ = late_ || std::chrono::steady_clock::now() > deadline_;
  return late_;
}

/// A question that the library gives up costs as much as a long one.
Solution Decider::ask(const Conjunction &atoms, bool fractions) {
  constexpr std::uint64_t given_up = 20'000;
  std::uint64_t terms = 0;
  for (const Atom &atom : atoms) terms += atom.polynomial.terms().size();
  work_ += (20 + terms) * (fractions ? 1 : 100);  // integers take so many times as long
  Solution found = library_->solver.solve(atoms, fractions);
  if (!fractions && found.emptiness == Emptiness::unknown) work_ += given_up;
  return found;
}

bool Decider::is_empty(const Formula &formula, Look look) {
  const auto found = known_.find({formula, look});
  if (found != known_.end()) return found->second;
  int budget = most_conjunctions;
  const bool empty = is_empty(formula.atoms, formula.clauses, 0, look, budget);
  known_[{formula, look}] = empty;
  return empty;
}

bool Decider::is_empty(const Conjunction &atoms, const std::vector<Disjunction> &clauses, std::size_t from,
                       Look look, int &budget) {
  if (--budget < 0 || out_of_time()) return false;
  if (excludes(atoms, Effort::fractions)) return true;
  if (from == clauses.size())
    return look != Look::fractions &&
           (excludes(atoms, Effort::fractions_in_limits) || excludes(atoms, Effort::integers) ||
            (look == Look::whole && excludes(atoms, Effort::integers_in_limits)));
  return std::all_of(clauses[from].begin(), clauses[from].end(), [&](const Conjunction &one) {
    Conjunction both = atoms;
    both.insert(both.end(), one.begin(), one.end());
    return is_empty(both, clauses, from + 1, look, budget);
  });
}

/// Whether it certainly has no solution.
bool Decider::excludes(Conjunction atoms, Effort effort) {
  try {
    const bool fractions = effort == Effort::fractions || effort == Effort::fractions_in_limits;
    if (effort == Effort::fractions || effort == Effort::integers) std::erase_if(atoms, is_limit);
    Solved values;
    if (!eliminate(atoms, values)) return true;
    for (const Conjunction &part : parts_of(atoms))
      if (part_is_empty(part, fractions)) return true;
  } catch (const TooLarge &) {
  }
  return false;
}

bool Decider::part_is_empty(const Conjunction &part, bool fractions) {
  const auto found = known_parts_.find({part, fractions});
  if (found != known_parts_.end()) return found->second;
  Conjunction more = part;
  add_products(more);
  add_strides(more);
  const bool empty = ask(more, fractions).emptiness == Emptiness::empty;
  known_parts_[{part, fractions}] = empty;
  return empty;
}

Solution Decider::solve(const Formula &formula) {
  int budget = most_conjunctions;
  return solve(formula.atoms, formula.clauses, 0, budget);
}

Solution Decider::solve(const Conjunction &atoms, const std::vector<Disjunction> &clauses, std::size_t from,
                        int &budget) {
  if (--budget < 0 || out_of_time()) return {};
  if (excludes(atoms, Effort::fractions)) return {Emptiness::empty, {}};
  if (from == clauses.size()) return point_in(atoms);
  Solution best{Emptiness::empty, {}};
  for (const Conjunction &one : clauses[from]) {
    Conjunction both = atoms;
    both.insert(both.end(), one.begin(), one.end());
    Solution found = solve(both, clauses, from + 1, budget);
    if (found.emptiness == Emptiness::has_point) return found;
    if (found.emptiness == Emptiness::unknown) best = std::move(found);
  }
  return best;
}

Solution Decider::point_in(Conjunction atoms) {
  const Conjunction original = atoms;
  Solved values;
  Solution result{Emptiness::has_point, {}};
  try {
    if (!eliminate(atoms, values)) return {Emptiness::empty, {}};
    for (Conjunction part : parts_of(atoms)) {
      add_products(part);
      add_strides(part);
      Solution found = ask(part, false);
      if (found.emptiness != Emptiness::has_point) return {found.emptiness, {}};
      result.point.merge(found.point);
    }
    for (auto v = values.values.rbegin(); v != values.values.rend(); ++v)
      result.point[v->first] = value_of(v->second, result.point);
    if (!satisfies(original, result.point)) result.emptiness = Emptiness::unknown;
    return result;
  } catch (const TooLarge &) {
    return {};
  }
}

}  // namespace warpgrade::prove
