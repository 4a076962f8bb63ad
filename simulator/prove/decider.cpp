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

/// A size that multiplies several symbols is a stride; what ties these symbols to others is multiplied by it too.
void add_strides(Conjunction &atoms) {
  std::map<Symbol, std::set<Symbol>> partners;
  for (const Monomial &m : products_in(atoms)) {
    if (m.size() != 2) continue;
    partners[m[0]].insert(m[1]);
    partners[m[1]].insert(m[0]);
  }
  const Conjunction plain = atoms;
  for (const auto &[stride, with] : partners) {
    const auto bound = with.size() < 2 ? std::nullopt : bound_of(plain, stride);
    if (!bound) continue;
    for (const Atom &atom : plain) {
      const Polynomial &p = atom.polynomial;
      if (atoms.size() > most_atoms || p.degree() != 1 || p.contains(stride)) continue;
      if (std::none_of(with.begin(), with.end(), [&, &p = p](Symbol s) { return p.contains(s); })) continue;
      atoms.push_back({p * (atom.equality ? Polynomial::of(stride) : *bound), atom.equality});
    }
  }
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

Decider::Decider(double seconds) : library_(std::make_unique<Library>()) {
  allow(seconds);
}
Decider::~Decider() = default;

void Decider::allow(double seconds) {
  deadline_ =
      std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
}

bool Decider::is_empty(const Formula &formula) {
  const auto [at, fresh] = known_.try_emplace(formula, false);
  if (fresh) at->second = solve(formula).emptiness == Emptiness::empty;
  return at->second;
}

Solution Decider::solve(const Formula &formula) {
  int budget = most_conjunctions;
  return solve_clauses(formula.atoms, formula.clauses, 0, budget);
}

Solution Decider::solve_clauses(const Conjunction &atoms, const std::vector<Disjunction> &clauses,
                                std::size_t from, int &budget) {
  if (--budget < 0 || out_of_time()) return {};
  Solution whole = solve_conjunction(atoms, true);
  if (whole.emptiness == Emptiness::empty) return whole;
  if (from == clauses.size()) return solve_conjunction(atoms, false);
  Solution best{Emptiness::empty, {}};
  for (const Conjunction &one : clauses[from]) {
    Conjunction both = atoms;
    both.insert(both.end(), one.begin(), one.end());
    Solution found = solve_clauses(both, clauses, from + 1, budget);
    if (found.emptiness == Emptiness::has_point) return found;
    if (found.emptiness == Emptiness::unknown) best = std::move(found);
  }
  return best;
}

Solution Decider::solve_conjunction(Conjunction atoms, bool fractions) {
  const Conjunction original = atoms;
  Solved values;
  try {
    if (!eliminate(atoms, values)) return {Emptiness::empty, {}};
    add_products(atoms);
    add_strides(atoms);
    ++calls_;
    Solution found = library_->solver.solve(atoms, fractions);
    if (found.emptiness == Emptiness::empty || found.point.empty()) {
      if (found.emptiness == Emptiness::has_point && atoms.empty()) found.point[-1] = 0;
      if (found.emptiness != Emptiness::has_point) return found;
    }
    for (auto v = values.values.rbegin(); v != values.values.rend(); ++v)
      found.point[v->first] = value_of(v->second, found.point);
    found.emptiness = satisfies(original, found.point) ? Emptiness::has_point : Emptiness::unknown;
    return found;
  } catch (const TooLarge &) {
    return {};
  }
}

}  // namespace warpgrade::prove
