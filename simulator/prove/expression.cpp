#include "prove/expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

#include "prove/prove.hpp"

namespace warpgrade::prove {
namespace {

[[noreturn]] void bad(const std::string &what) {
  throw std::invalid_argument(what);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Term whole() {
    Term result = level(0);
    blanks();
    if (at_ != text_.size())
      bad("cannot read '" + std::string(text_) + "' from '" + std::string(text_.substr(at_)) + "' on");
    return result;
  }

 private:
  Term level(std::size_t n) {
    static const std::vector<std::vector<std::string>> operators = {
        {"&&", ","}, {"<=", ">=", "==", "!=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
    if (n == operators.size()) return factor();
    Term result = level(n + 1);
    for (;;) {
      if (n == 0 && inside_ > 0) return result;  // a comma there separates arguments
      const auto found =
          std::find_if(operators[n].begin(), operators[n].end(), [&](const auto &o) { return accept(o); });
      if (found == operators[n].end()) return result;
      Term right = level(n + 1);
      result = {*found == "," ? "&&" : *found, {std::move(result), std::move(right)}};
    }
  }

  Term factor() {
    if (++depth_ > 200) bad("the expression is nested too deeply");
    Term result = primary();
    --depth_;
    return result;
  }

  Term primary() {
    if (accept("-")) return {"-", {{"0", {}}, factor()}};
    if (accept("(")) {
      Term inner = level(1);
      if (!accept(")")) bad("')' is missing in '" + std::string(text_) + "'");
      return inner;
    }
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    if (start == at_) bad("cannot read '" + std::string(text_) + "'");
    Term result{std::string(text_.substr(start, at_ - start)), {}};
    if (accept("(")) {
      ++inside_;
      do result.of.push_back(level(1));
      while (accept(","));
      --inside_;
      if (!accept(")")) bad("')' is missing in '" + std::string(text_) + "'");
    }
    return result;
  }

  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool accept(std::string_view word) {
    blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    blanks();
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int inside_ = 0, depth_ = 0;
};

std::int64_t number(const std::string &word) {
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), result);
  if (error != std::errc() || end != word.data() + word.size()) bad("'" + word + "' is not a number");
  return result;
}

bool is_number(const Term &term) {
  return std::isdigit(static_cast<unsigned char>(term.what.front())) != 0;
}
bool is_call(const Term &term) {
  return term.what == "min" || term.what == "max" || term.what == "ceil_div";
}

/// Both ways of reading need two operands for everything that is not a name or a number.
void check_operands(const Term &term) {
  const bool known = is_call(term) || std::string_view("+-*/%").find(term.what) != std::string_view::npos;
  if (!known || term.of.size() != 2) bad("'" + term.what + "' is not expected here");
}

std::int64_t value(const Term &term, const Sizes &sizes) {
  if (term.of.empty()) {
    if (is_number(term)) return number(term.what);
    const auto found = sizes.find(term.what);
    if (found == sizes.end()) bad("'" + term.what + "' is not the name of a size");
    return found->second;
  }
  check_operands(term);
  const std::int64_t a = value(term.of[0], sizes), b = value(term.of[1], sizes);
  std::int64_t result = 0;
  bool too_large = false;
  if (term.what == "+") too_large = __builtin_add_overflow(a, b, &result);
  if (term.what == "-") too_large = __builtin_sub_overflow(a, b, &result);
  if (term.what == "*") too_large = __builtin_mul_overflow(a, b, &result);
  if (term.what == "min") result = std::min(a, b);
  if (term.what == "max") result = std::max(a, b);
  if (term.what == "/" || term.what == "%" || term.what == "ceil_div") {
    if (b < 1) bad("division by a number below 1");
    const std::int64_t down = a / b - (a % b < 0 ? 1 : 0), rest = a - down * b;
    result = term.what == "/" ? down : term.what == "%" ? rest : down + (rest != 0 ? 1 : 0);
  }
  if (too_large) bad("a value is too large");
  return result;
}

bool truth(const Term &term, const Sizes &sizes) {
  if (term.of.size() != 2) bad("'" + term.what + "' is not an assumption");
  if (term.what == "&&") return truth(term.of[0], sizes) && truth(term.of[1], sizes);
  const std::int64_t a = value(term.of[0], sizes), b = value(term.of[1], sizes);
  if (term.what == "<=") return a <= b;
  if (term.what == ">=") return a >= b;
  if (term.what == "==") return a == b;
  if (term.what == "!=") return a != b;
  if (term.what == "<") return a < b;
  if (term.what == ">") return a > b;
  bad("'" + term.what + "' is not a comparison");
}

}  // namespace

Term parse_expression(std::string_view text) {
  return Reader(text).whole();
}

std::int64_t evaluate(const Expression &text, const Sizes &sizes) {
  return value(parse_expression(text), sizes);
}
bool holds(const Expression &text, const Sizes &sizes) {
  return truth(parse_expression(text), sizes);
}

Polynomial to_polynomial(const Term &term, const Names &names, Symbols &symbols) {
  if (term.of.empty()) {
    if (is_number(term)) return Polynomial(number(term.what));
    const auto found = names.find(term.what);
    if (found == names.end()) bad("'" + term.what + "' is not the name of a size");
    return found->second;
  }
  check_operands(term);
  const Polynomial a = to_polynomial(term.of[0], names, symbols),
                   b = to_polynomial(term.of[1], names, symbols);
  if (term.what == "+") return a + b;
  if (term.what == "-") return a - b;
  if (term.what == "*") return a * b;
  if (term.what == "min") return smaller(symbols, a, b);
  if (term.what == "max") return larger(symbols, a, b);
  if (symbols.range(b).low < 1) bad("a divisor may be below 1");
  if (term.what == "/") return quotient(symbols, a, b);
  if (term.what == "%") return a - quotient(symbols, a, b) * b;
  return quotient(symbols, a + b - Polynomial(1), b);  // ceil_div
}

Formula to_formula(const Term &term, const Names &names, Symbols &symbols) {
  if (term.of.size() != 2) bad("'" + term.what + "' is not an assumption");
  if (term.what == "&&") {
    Formula both = to_formula(term.of[0], names, symbols);
    both.add(to_formula(term.of[1], names, symbols));
    return both;
  }
  const Polynomial a = to_polynomial(term.of[0], names, symbols),
                   b = to_polynomial(term.of[1], names, symbols);
  if (term.what == "<=") return {{at_least(b, a)}, {}};
  if (term.what == ">=") return {{at_least(a, b)}, {}};
  if (term.what == "<") return {{less(a, b)}, {}};
  if (term.what == ">") return {{less(b, a)}, {}};
  if (term.what == "==") return {{equal(a, b)}, {}};
  if (term.what == "!=") return {{}, {{{less(a, b)}, {less(b, a)}}}};
  bad("'" + term.what + "' is not a comparison");
}

}  // namespace warpgrade::prove
