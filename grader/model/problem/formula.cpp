#include "problem/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace warpgrade::problem {

namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_name(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The text on one line, printable.
std::string in_quotes(std::string_view text) {
  std::string plain;
  for (const char c : text.substr(0, 60)) plain += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  return "'" + plain + (text.size() > 60 ? "...'" : "'");
}

}  // namespace

/// Recursive descent; every level of recursion is counted.
class FormulaParser {
 public:
  explicit FormulaParser(Formula &into) : into_(into), text_(into.text_) {}

  void parse() {
    sum();
    peek();
    if (at_ < text_.size()) refuse("expected an operator");
  }

 private:
  using Kind = Formula::Step::Kind;

  [[noreturn]] void refuse(const std::string &why) const {
    throw FormulaError(at_ >= text_.size()
                           ? fmt::format("{} is not a formula: {} at its end", in_quotes(text_), why)
                           : fmt::format("{} is not a formula: {} at {}", in_quotes(text_), why,
                                         in_quotes(text_.substr(at_))));
  }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse(fmt::format("expected '{}'", c));
  }
  void emit(Kind kind) { into_.steps_.push_back({kind, 0, {}}); }

  void sum() {
    product();
    for (;;) {
      if (take('+'))
        product(), emit(Kind::add);
      else if (take('-'))
        product(), emit(Kind::subtract);
      else
        return;
    }
  }

  void product() {
    signed_factor();
    for (;;) {
      if (take('*'))
        signed_factor(), emit(Kind::multiply);
      else if (take('/'))
        signed_factor(), emit(Kind::divide);
      else
        return;
    }
  }

  void signed_factor() {
    if (++depth_ > Formula::deepest) refuse("it is nested too deep");
    if (take('-'))
      signed_factor(), emit(Kind::negate);
    else if (take('+'))
      signed_factor();
    else
      power();
    --depth_;
  }

  void power() {
    atom();
    if (take('^')) signed_factor(), emit(Kind::power);
  }

  void atom() {
    const char c = peek();
    if (take('(')) {
      sum();
      expect(')');
    } else if (is_name_start(c)) {
      name();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
      number();
    } else {
      refuse("expected a number, a name or '('");
    }
  }

  void number() {
    double value = 0;
    const char *const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc()) refuse("expected a number");
    at_ += static_cast<std::size_t>(end - first);
    into_.steps_.push_back({Kind::number, value, {}});
  }

  void name() {
    const std::size_t first = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    if (peek() != '(') return into_.steps_.push_back({Kind::name, 0, std::string(word)});
    struct Function {
      std::string_view name;
      Kind kind;
      bool two;
    };
    static constexpr Function functions[] = {{"ceil", Kind::ceil, false},
                                             {"floor", Kind::floor, false},
                                             {"min", Kind::min, true},
                                             {"max", Kind::max, true}};
    const auto *const found = std::find_if(std::begin(functions), std::end(functions),
                                           [&](const Function &f) { return f.name == word; });
    if (found == std::end(functions)) {
      at_ = first;
      refuse("there is no such function (there are ceil, floor, min and max)");
    }
    expect('(');
    sum();
    if (found->two) expect(','), sum();
    expect(')');
    emit(found->kind);
  }

  Formula &into_;
  const std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Formula::Formula(std::string_view text) : text_(text) {
  if (text.size() > longest)
    throw FormulaError(
        fmt::format("a formula may have at most {} characters, this one has {}", longest, text.size()));
  FormulaParser(*this).parse();
}

double Formula::value(const Variables &variables) const {
  std::vector<double> stack;
  const auto pop = [&] {
    const double top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Step &s : steps_) {
    if (s.kind == Step::Kind::number) {
      stack.push_back(s.number);
      continue;
    }
    if (s.kind == Step::Kind::name) {
      const auto found = variables.find(s.name);
      if (found == variables.end()) {
        std::vector<std::string> known;
        for (const auto &[name, value] : variables) known.push_back(name);
        throw FormulaError(fmt::format("{}: there is no '{}' here (there are: {})", in_quotes(text_), s.name,
                                       fmt::join(known, ", ")));
      }
      stack.push_back(found->second);
      continue;
    }
    const double b = pop();
    const bool one =
        s.kind == Step::Kind::negate || s.kind == Step::Kind::ceil || s.kind == Step::Kind::floor;
    const double a = one ? 0 : pop();
    switch (s.kind) {
      case Step::Kind::negate:
        stack.push_back(-b);
        break;
      case Step::Kind::add:
        stack.push_back(a + b);
        break;
      case Step::Kind::subtract:
        stack.push_back(a - b);
        break;
      case Step::Kind::multiply:
        stack.push_back(a * b);
        break;
      case Step::Kind::divide:
        stack.push_back(a / b);
        break;
      case Step::Kind::power:
        stack.push_back(std::pow(a, b));
        break;
      case Step::Kind::ceil:
        stack.push_back(std::ceil(b));
        break;
      case Step::Kind::floor:
        stack.push_back(std::floor(b));
        break;
      case Step::Kind::min:
        stack.push_back(std::min(a, b));
        break;
      case Step::Kind::max:
        stack.push_back(std::max(a, b));
        break;
      case Step::Kind::number:
      case Step::Kind::name:
        break;
    }
  }
  const double value = pop();
  if (!std::isfinite(value)) {
    std::vector<std::string> at;
    for (const auto &[name, number] : variables) at.push_back(fmt::format("{}={:g}", name, number));
    throw FormulaError(fmt::format("{} has no value at {}", in_quotes(text_), fmt::join(at, " ")));
  }
  return value;
}

std::set<std::string> Formula::names() const {
  std::set<std::string> names;
  for (const Step &s : steps_)
    if (s.kind == Step::Kind::name) names.insert(s.name);
  return names;
}

}  // namespace warpgrade::problem
