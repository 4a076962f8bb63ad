#include "prove/polynomial.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpgrade::prove {
namespace {

constexpr std::size_t most_terms = 200;
constexpr std::size_t most_degree = 6;
constexpr Integer most_number = Integer{1} << 100;

Integer checked(Integer n) {
  if (n > most_number || n < -most_number) throw TooLarge("a number is too large");
  return n;
}

Integer product(Integer a, Integer b) {
  Integer result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw TooLarge("a number is too large");
  return checked(result);
}

Integer divisor(Integer a, Integer b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

Polynomial::Polynomial(Integer constant) {
  if (constant != 0) terms_[{}] = checked(constant);
}

Polynomial Polynomial::of(Symbol s) {
  Polynomial p;
  p.terms_[{s}] = 1;
  return p;
}

std::optional<Integer> Polynomial::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

Integer Polynomial::coefficient(const Monomial &m) const {
  const auto found = terms_.find(m);
  return found == terms_.end() ? 0 : found->second;
}

bool Polynomial::contains(Symbol s) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const auto &term) {
    return std::binary_search(term.first.begin(), term.first.end(), s);
  });
}

int Polynomial::degree() const {
  std::size_t degree = 0;
  for (const auto &[monomial, factor] : terms_) degree = std::max(degree, monomial.size());
  return static_cast<int>(degree);
}

Integer Polynomial::common_divisor() const {
  Integer result = 0;
  for (const auto &[monomial, factor] : terms_)
    if (!monomial.empty()) result = divisor(result, factor);
  return result;
}

void Polynomial::add(const Monomial &m, Integer factor) {
  const auto [at, fresh] = terms_.try_emplace(m, 0);
  at->second = checked(at->second + factor);
  if (at->second == 0) terms_.erase(at);
  if (terms_.size() > most_terms) throw TooLarge("an expression has too many terms");
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  for (const auto &[monomial, factor] : other.terms_) result.add(monomial, factor);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  Polynomial result = *this;
  for (const auto &[monomial, factor] : other.terms_) result.add(monomial, -factor);
  return result;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  for (const auto &[a, x] : terms_)
    for (const auto &[b, y] : other.terms_) {
      Monomial both(a.size() + b.size());
      std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
      if (both.size() > most_degree) throw TooLarge("an expression has too many factors");
      result.add(both, product(x, y));
    }
  return result;
}

Polynomial Polynomial::substitute(Symbol s, const Polynomial &by) const {
  if (!contains(s)) return *this;
  Polynomial result;
  for (const auto &[monomial, factor] : terms_) {
    Monomial rest;
    int power = 0;
    for (const Symbol one : monomial)
      if (one == s)
        ++power;
      else
        rest.push_back(one);
    Polynomial term;
    term.terms_[rest] = factor;
    for (; power > 0; --power) term = term * by;
    result = result + term;
  }
  return result;
}

Polynomial Polynomial::rename(const std::map<Symbol, Symbol> &names) const {
  Polynomial result;
  for (const auto &[monomial, factor] : terms_) {
    Monomial renamed = monomial;
    for (Symbol &s : renamed)
      if (const auto found = names.find(s); found != names.end()) s = found->second;
    std::sort(renamed.begin(), renamed.end());
    result.add(renamed, factor);
  }
  return result;
}

std::optional<Polynomial> Polynomial::divided_by(Integer number) const {
  Polynomial result = *this;
  for (auto &[monomial, factor] : result.terms_) {
    if (factor % number != 0) return std::nullopt;
    factor /= number;
  }
  return result;
}

Disjunction negation(const Atom &atom) {
  if (!atom.equality) return {{at_least_zero(-atom.polynomial - Polynomial(1))}};
  return {{at_least_zero(atom.polynomial - Polynomial(1))},
          {at_least_zero(-atom.polynomial - Polynomial(1))}};
}

}  // namespace warpgrade::prove
