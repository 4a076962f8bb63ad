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
  for (const Integer &i : p.integers()) names += (names.empty() ? "" : "=") + i.name;
  std::string reals;
  for (const Real &r : p.reals()) reals += fmt::format(" {}={:g}", r.name, r.otherwise);
  throw std::invalid_argument(
      fmt::format("'{}' is no case of {}: {}; accepted are 129, \"{}=129\" or \"{}=129{}\"", text, p.name(),
                  why, names, names, reals));
}

class Reader {
 public:
  Reader(const Problem &p, std::string_view text)
      : p_(p), text_(text), integers_(p.integers().size()), reals_(p.reals().size()) {}

  Case read() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.find_first_of(" ,", at), text_.size());
      if (end > at) word(text_.substr(at, end - at));
      at = end + 1;
    }
    Case c;
    for (std::size_t i = 0; i < integers_.size(); ++i) {
      if (!integers_[i]) refuse(p_, text_, fmt::format("'{}' is missing", p_.integers()[i].name));
      c.integers.push_back(*integers_[i]);
    }
    for (std::size_t r = 0; r < reals_.size(); ++r)
      c.reals.push_back(reals_[r].value_or(p_.reals()[r].otherwise));
    return c;
  }

 private:
  /// "129", "m=129" or "m=n=129".
  void word(std::string_view w) {
    const std::size_t last = w.rfind('=');
    const std::string_view value = last == std::string_view::npos ? w : w.substr(last + 1);
    if (last == std::string_view::npos) {
      for (const Integer &i : p_.integers()) set(i.name, value);
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
    for (std::size_t i = 0; i < integers_.size(); ++i) {
      const Integer &known = p_.integers()[i];
      if (known.name != name) continue;
      const auto number = whole<std::int64_t>(value);
      if (!number || *number < known.least || *number > known.most)
        refuse(p_, text_,
               fmt::format("{} must be a whole number from {} to {}", name, known.least, known.most));
      integers_[i] = number;
      return;
    }
    for (std::size_t r = 0; r < reals_.size(); ++r) {
      if (p_.reals()[r].name != name) continue;
      const auto number = whole<double>(value);
      if (!number || !std::isfinite(static_cast<float>(*number)))
        refuse(p_, text_, fmt::format("{} must be a number that a float can hold", name));
      reals_[r] = number;
      return;
    }
    refuse(p_, text_, fmt::format("there is no '{}'", name));
  }

  const Problem &p_;
  std::string_view text_;
  std::vector<std::optional<std::int64_t>> integers_;
  std::vector<std::optional<double>> reals_;
};

}  // namespace

Case parse_case(const Problem &problem, std::string_view text) {
  return Reader(problem, text).read();
}

}  // namespace warpgrade::problem
