// What the symbols of polynomials are, and what always holds of them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prove/decider.hpp"

namespace warpgrade::prove {

/// Who sees one value of a symbol: all threads of a launch, those of a block, or a thread alone.
enum class Level { launch, block, thread };

struct Range {
  Integer low, high;  ///< inclusive
};
/// Of an integer with so many bits.
Range range_of(int width, bool is_signed);

class Symbols {
 public:
  Symbol make(std::string name, Level, Range);
  Symbol make(std::string name, Level level) { return make(std::move(name), level, everything); }
  /// What holds wherever the symbol occurs.
  void define(Symbol s, const Formula &facts) { all_[static_cast<std::size_t>(s)].facts.add(facts); }
  /// Facts that were assumed at first and turned out otherwise.
  void forget(Symbol s) { all_[static_cast<std::size_t>(s)].facts = {}; }

  const Formula &facts(Symbol s) const { return all_[static_cast<std::size_t>(s)].facts; }
  void narrow(Symbol, Range);
  const std::string &name(Symbol s) const { return all_[static_cast<std::size_t>(s)].name; }
  Level level(Symbol s) const { return all_[static_cast<std::size_t>(s)].level; }
  Level level(const Polynomial &) const;
  Level level(const Disjunction &) const;
  Range range(Symbol s) const { return all_[static_cast<std::size_t>(s)].range; }
  /// Of the values, by the ranges of symbols alone.
  Range range(const Polynomial &) const;
  /// The part that all threads of a launch have in common.
  Polynomial shared_part(const Polynomial &) const;
  /// The formula with all that is known of its symbols, of those that are mentioned, and of theirs.
  /// Without what is known of some.
  Formula complete(Formula, const std::vector<Polynomial> &mentioned = {},
                   const std::set<Symbol> &without = {}) const;
  /// Younger symbols than `of` whose facts have it in them, or a symbol that has, of those mentioned and of theirs.
  std::vector<Symbol> made_of(Symbol of, const Formula &, const std::vector<Polynomial> &mentioned) const;
  /// A copy of each symbol above `shared`, which another thread has; of those in a complete formula.
  std::map<Symbol, Symbol> other_thread(const Formula &complete, Level shared);
  /// The same for one more thread, which is none of those before.
  std::map<Symbol, Symbol> further_thread(const Formula &complete, Level shared);
  std::string text(const Polynomial &) const;
  /// The symbol for a quotient, alike wherever it is asked for; nothing if there is none yet. (x / 2) / 8 is x / 16.
  std::optional<Symbol> quotient_of(const Polynomial &p, const Polynomial &divisor) const;
  void remember_quotient(const Polynomial &p, const Polynomial &divisor, Symbol);
  using Fraction = std::pair<Polynomial, Polynomial>;
  /// What a symbol is the quotient of, rounded down: not itself a quotient by a number, where the divisor is one.
  std::optional<Fraction> fraction_of(Symbol) const;
  static constexpr Range everything{-(Integer{1} << 70), Integer{1} << 70};

 private:
  struct Known {
    std::string name;
    Level level;
    Range range;
    Formula facts;
  };
  Fraction flat(Fraction) const;
  std::vector<Known> all_;
  std::map<std::pair<Symbol, Level>, Symbol>
      copies_;  // of the other thread: questions of two threads come alike
  std::map<Fraction, Symbol> quotients_;
  std::map<Symbol, Fraction> fractions_;
};

/// A number with two values: one where `by` is 0, one where it is 1.
struct TwoValues {
  Symbol by;
  Integer zero, one;
  Polynomial with(Integer new_zero, Integer new_one) const {
    return Polynomial(new_zero) + Polynomial::of(by) * Polynomial(new_one - new_zero);
  }
};
/// Nothing if it is a constant, or has other symbols.
std::optional<TwoValues> two_values_of(const Symbols &, const Polynomial &);

/// The quotient, rounded down, by a number or by a polynomial that is at least 1 at all sizes; the remainder follows from
/// it.
Polynomial quotient(Symbols &, const Polynomial &, const Polynomial &divisor);
Polynomial smaller(Symbols &, const Polynomial &, const Polynomial &);
Polynomial larger(Symbols &, const Polynomial &, const Polynomial &);

}  // namespace warpgrade::prove
