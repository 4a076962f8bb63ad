// Polynomials with integer coefficients over symbols: sizes, thread and block indices, iterations, quotients.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

namespace warpgrade::prove {

using Integer = __int128;
using Symbol = std::int32_t;
using Monomial = std::vector<Symbol>;  ///< sorted, with repetitions; empty: the constant

/// A number or a term grew beyond what is calculated with; what depends on it is not decided.
class TooLarge : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(Integer constant);  // NOLINT(google-explicit-constructor): a number is a polynomial
  static Polynomial of(Symbol);

  const std::map<Monomial, Integer> &terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  std::optional<Integer> constant() const;  ///< if it is a number
  Integer coefficient(const Monomial &) const;
  bool contains(Symbol) const;
  int degree() const;
  Integer common_divisor() const;  ///< of all coefficients but the constant one; 0 for a number

  Polynomial operator+(const Polynomial &) const;
  Polynomial operator-(const Polynomial &) const;
  Polynomial operator*(const Polynomial &) const;
  Polynomial operator-() const { return Polynomial() - *this; }
  bool operator==(const Polynomial &) const = default;
  auto operator<=>(const Polynomial &) const = default;

  Polynomial substitute(Symbol, const Polynomial &) const;
  Polynomial rename(const std::map<Symbol, Symbol> &) const;
  /// The exact quotient by a positive number, if all coefficients are multiples of it.
  std::optional<Polynomial> divided_by(Integer) const;

 private:
  void add(const Monomial &, Integer);
  std::map<Monomial, Integer> terms_;
};

/// The symbol that a polynomial is.
inline Symbol symbol_of(const Polynomial &p) {
  return p.terms().begin()->first.front();
}

/// `polynomial` >= 0, or == 0.
struct Atom {
  Polynomial polynomial;
  bool equality = false;
  bool operator==(const Atom &) const = default;
  auto operator<=>(const Atom &) const = default;
};

using Conjunction = std::vector<Atom>;
using Disjunction = std::vector<Conjunction>;

inline Atom at_least_zero(Polynomial p) {
  return {std::move(p), false};
}
inline Atom is_zero(Polynomial p) {
  return {std::move(p), true};
}
inline Atom at_least(const Polynomial &a, const Polynomial &b) {
  return {a - b, false};
}
inline Atom less(const Polynomial &a, const Polynomial &b) {
  return {b - a - Polynomial(1), false};
}
inline Atom equal(const Polynomial &a, const Polynomial &b) {
  return {a - b, true};
}

/// The cases in which it does not hold.
Disjunction negation(const Atom &);

}  // namespace warpgrade::prove
