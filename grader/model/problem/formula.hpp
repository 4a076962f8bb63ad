// Formulas that people write: numbers of a course that depend on a case ("n/64"), and students' answers ("2*P
// + 1"). Takes text, returns a value for given variables; the text may be hostile.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::problem {

/// What is wrong with a formula: one sentence that quotes the place.
class FormulaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Numbers, names, + - * / ^ (a power, right to left), parentheses, and ceil(), floor(), min(,), max(,).
/// Names are case-sensitive. Double precision throughout: 3/2 is 1.5.
class Formula {
 public:
  using Variables = std::map<std::string, double, std::less<>>;

  static constexpr std::size_t longest = 500;  ///< characters
  static constexpr int deepest = 50;           ///< nested parentheses

  /// Throws FormulaError.
  explicit Formula(std::string_view text);
  /// Throws FormulaError for a name without a value, and if the result is not a finite number.
  double value(const Variables &variables) const;
  /// The names in it.
  std::set<std::string> names() const;
  const std::string &text() const { return text_; }
  bool operator==(const Formula &other) const { return text_ == other.text_; }

 private:
  friend class FormulaParser;
  /// In the order of a stack machine: operands first.
  struct Step {
    enum class Kind : unsigned char {
      number,
      name,
      negate,
      add,
      subtract,
      multiply,
      divide,
      power,
      ceil,
      floor,
      min,
      max
    };
    Kind kind = Kind::number;
    double number = 0;
    std::string name;
  };
  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace warpgrade::problem
