#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "problem/problem.hpp"

namespace warpgrade::problem {

namespace {

template <typename Number>
std::optional<Number> whole(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const Problem &p, std::string_view text, const std::string &why) {
  std::string names;
  for (const Integer &i : p.integers())
    if (i.size) names += (names.empty() ? "" : "=") + i.name;
  std::string reals;
  for (const Real &r : p.reals()) reals += fmt::format(" {}={:g}", r.name, r.otherwise);
  throw std::invalid_argument(
      fmt::format("'{}' is not a case of {}: {}; accepted are 129, \"{}=129\" or \"{}=129{}\"", text,
                  p.name(), why, names, names, reals));
}

class Reader {
 public:
  Reader(const Problem &p, std::string_view text) : p_(p), text_(text), given_(p) {}

  Given read() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.find_first_of(" ,", at), text_.size());
      if (end > at) word(text_.substr(at, end - at));
      at = end + 1;
    }
    return given_;
  }

 private:
  /// "129", "m=129" or "m=n=129".
  void word(std::string_view w) {
    const std::size_t last = w.rfind('=');
    const std::string_view value = last == std::string_view::npos ? w : w.substr(last + 1);
    if (last == std::string_view::npos) {
      for (const Integer &i : p_.integers())
        if (i.size) set(i.name, value);
      return;
    }
    std::size_t at = 0;
    while (at <= last) {
      const std::size_t end = w.find('=', at);
      set(w.substr(at, end - at), value);
      at = end + 1;
    }
  }

  void set(std::string_view name, std::string_view value) {
    for (std::size_t i = 0; i < p_.integers().size(); ++i) {
      const Integer &known = p_.integers()[i];
      if (known.name != name) continue;
      const auto number = whole<std::int64_t>(value);
      if (!number || *number < known.least || *number > known.most)
        refuse(p_, text_,
               fmt::format("{} must be a whole number from {} to {}", name, known.least, known.most));
      given_.integers[i] = number;
      return;
    }
    for (std::size_t r = 0; r < p_.reals().size(); ++r) {
      if (p_.reals()[r].name != name) continue;
      const auto number = whole<double>(value);
      if (!number || !std::isfinite(static_cast<float>(*number)))
        refuse(p_, text_, fmt::format("{} must be a number that a float can hold", name));
      given_.reals[r] = number;
      return;
    }
    refuse(p_, text_, fmt::format("there is no '{}'", name));
  }

  const Problem &p_;
  std::string_view text_;
  Given given_;
};

std::int64_t whole_value(const Integer &i, const Formula &formula, const Formula::Variables &variables) {
  double value = 0;
  try {
    value = formula.value(variables);
  } catch (const FormulaError &e) {
    throw std::invalid_argument(fmt::format("{}: {}", i.name, e.what()));
  }
  if (value != std::floor(value) || value < static_cast<double>(i.least) ||
      value > static_cast<double>(i.most))
    throw std::invalid_argument(fmt::format("{} = {} is {:g}, should be a whole number from {} to {}", i.name,
                                            formula.text(), value, i.least, i.most));
  return static_cast<std::int64_t>(value);
}

}  // namespace

Given all_sizes(const Problem &p, std::int64_t number) {
  Given given(p);
  for (std::size_t i = 0; i < given.integers.size(); ++i)
    if (p.integers()[i].size) given.integers[i] = number;
  return given;
}

Given sizes_of(const Problem &p, const Case &c) {
  Given given(p);
  for (std::size_t i = 0; i < given.integers.size(); ++i)
    if (p.integers()[i].size) given.integers[i] = c.integers.at(i);
  given.reals.assign(c.reals.begin(), c.reals.end());
  return given;
}

Case complete(const Problem &p, const Given &given, const Formulas &with) {
  const std::vector<Integer> &known = p.integers();
  std::vector<std::optional<std::int64_t>> integers = given.integers;
  Formula::Variables variables;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!integers[i] && !with.contains(known[i].name)) integers[i] = known[i].otherwise;
    if (integers[i]) variables[known[i].name] = static_cast<double>(*integers[i]);
  }
  Case c;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto formula = with.find(known[i].name);
    if (!integers[i] && formula == with.end())
      throw std::invalid_argument(fmt::format("'{}' is missing", known[i].name));
    c.integers.push_back(integers[i] ? *integers[i] : whole_value(known[i], formula->second, variables));
  }
  for (std::size_t r = 0; r < p.reals().size(); ++r)
    c.reals.push_back(given.reals[r].value_or(p.reals()[r].otherwise));
  return c;
}

Given parse_given(const Problem &problem, std::string_view text) {
  return Reader(problem, text).read();
}

Case parse_case(const Problem &problem, std::string_view text, const Formulas &with) {
  const Given given = parse_given(problem, text);
  try {
    return complete(problem, given, with);
  } catch (const std::invalid_argument &e) {
    refuse(problem, text, e.what());
  }
}

}  // namespace warpgrade::problem
