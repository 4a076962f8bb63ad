#include "launches/fit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade::launches {
namespace {

using Sizes = std::vector<std::int64_t>;
using Value = std::function<std::int64_t(const Sizes &)>;

constexpr std::int64_t most_divisor = std::int64_t{1} << 20;
constexpr std::int64_t most_side = 512;  // of tiles that are counted in two directions at once

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  return a <= 0 ? 0 : (a - 1) / b + 1;
}

/// Sizes, and what launchers compute of them first.
std::vector<Formula> quantities(const std::vector<std::string> &names) {
  std::vector<Formula> all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({names[i], [i](const Sizes &s) { return s[i]; }});
  const std::size_t single = names.size();
  for (std::size_t i = 0; i < single; ++i)
    for (std::size_t j = i; j < single; ++j) {
      all.push_back(
          {fmt::format("{} * {}", names[i], names[j]), [i, j](const Sizes &s) { return s[i] * s[j]; }});
      if (i != j)
        all.push_back(
            {fmt::format("({} + {})", names[i], names[j]), [i, j](const Sizes &s) { return s[i] + s[j]; }});
    }
  if (single == 3)
    all.push_back({fmt::format("{} * {} * {}", names[0], names[1], names[2]),
                   [](const Sizes &s) { return s[0] * s[1] * s[2]; }});
  return all;
}

class Fit {
 public:
  Fit(const std::vector<std::string> &names, const std::vector<Observation> &seen,
      const std::set<std::int64_t> &preferred, const std::vector<Formula> &known)
      : names_(names), seen_(seen), preferred_(preferred), known_(known) {}

  std::optional<Formula> find() const {
    if (seen_.empty()) return std::nullopt;
    const std::int64_t first = seen_.front().value;
    if (std::all_of(seen_.begin(), seen_.end(), [&](const Observation &o) { return o.value == first; }))
      return Formula{fmt::format("{}", first), [first](const Sizes &) { return first; }};
    std::vector<Formula> all = quantities(names_);
    all.insert(all.end(), known_.begin(), known_.end());
    for (const bool affine : {false, true}) {
      for (const Formula &q : all)
        if (auto found = form_of(q, seen_, affine)) return found;
      for (const Formula &q : all)
        if (auto found = bounded(q, affine)) return found;
    }
    return tiles();
  }

 private:
  /// Whether a candidate gives all observations.
  std::optional<Formula> if_right(Formula f, const std::vector<Observation> &seen) const {
    const bool right =
        std::all_of(seen.begin(), seen.end(), [&](const Observation &o) { return f.gives(o); });
    return right ? std::optional(std::move(f)) : std::nullopt;
  }

  std::optional<Formula> form_of(const Formula &q, const std::vector<Observation> &seen, bool affine) const {
    if (affine) return affine_form(q, seen);
    if (auto found = if_right(q, seen)) return found;
    if (auto found = multiple(q, seen)) return found;
    if (const auto by = divisor(q, seen, true))
      if (auto found = if_right({fmt::format("ceil_div({}, {})", q.text, *by),
                                 [v = q.value, by = *by](const Sizes &s) { return divided_up(v(s), by); }},
                                seen))
        return found;
    if (const auto by = divisor(q, seen, false))
      if (auto found = if_right({fmt::format("({} / {})", q.text, *by),
                                 [v = q.value, by = *by](const Sizes &s) { return v(s) / by; }},
                                seen))
        return found;
    return std::nullopt;
  }

  std::optional<Formula> multiple(const Formula &q, const std::vector<Observation> &seen) const {
    const auto first =
        std::find_if(seen.begin(), seen.end(), [&](const Observation &o) { return q.value(o.sizes) != 0; });
    if (first == seen.end() || first->value % q.value(first->sizes) != 0) return std::nullopt;
    const std::int64_t times = first->value / q.value(first->sizes);
    return if_right({fmt::format("{} * {}", times, q.text),
                     [v = q.value, times](const Sizes &s) { return times * v(s); }},
                    seen);
  }

  /// times * q + more
  std::optional<Formula> affine_form(const Formula &q, const std::vector<Observation> &seen) const {
    for (const Observation &other : seen) {
      const std::int64_t apart = q.value(other.sizes) - q.value(seen.front().sizes);
      if (apart == 0) continue;
      const std::int64_t rise = other.value - seen.front().value;
      if (rise == 0 || rise % apart != 0 || rise / apart < 0) return std::nullopt;
      const std::int64_t times = rise / apart,
                         more = seen.front().value - times * q.value(seen.front().sizes);
      const std::string product = times == 1 ? q.text : fmt::format("{} * {}", times, q.text);
      return if_right(
          {more < 0 ? fmt::format("({} - {})", product, -more) : fmt::format("({} + {})", product, more),
           [v = q.value, times, more](const Sizes &s) { return times * v(s) + more; }},
          seen);
    }
    return std::nullopt;
  }

  /// The least or the greatest value may be a bound, if it was seen for several sizes.
  std::optional<Formula> bounded(const Formula &q, bool affine) const {
    for (const bool above : {true, false}) {
      std::int64_t bound = seen_.front().value;
      for (const Observation &o : seen_) bound = above ? std::max(bound, o.value) : std::min(bound, o.value);
      std::vector<Observation> inside;
      std::set<std::int64_t> at_bound;
      for (const Observation &o : seen_)
        if (o.value == bound)
          at_bound.insert(q.value(o.sizes));
        else
          inside.push_back(o);
      if (at_bound.size() < 2 || inside.size() < 2) continue;
      const auto form = form_of(q, inside, affine);
      if (!form) continue;
      if (auto found = if_right({fmt::format("{}({}, {})", above ? "min" : "max", form->text, bound),
                                 [v = form->value, bound, above](const Sizes &s) {
                                   return above ? std::min(v(s), bound) : std::max(v(s), bound);
                                 }},
                                seen_))
        return found;
    }
    return std::nullopt;
  }

  /// By which every quotient is right; of several, a preferred one, a power of two, or the least.
  std::optional<std::int64_t> divisor(const Formula &q, const std::vector<Observation> &seen, bool up) const {
    std::int64_t least = 2, most = most_divisor;
    for (const Observation &o : seen) {
      const std::int64_t size = q.value(o.sizes), v = o.value;
      if (size <= 0 || v < 0 || (up && v == 0)) return std::nullopt;
      if (up) {  // (v - 1) by < size <= v by
        least = std::max(least, divided_up(size, v));
        if (v > 1) most = std::min(most, (size - 1) / (v - 1));
      } else {  // v by <= size < (v + 1) by
        if (v > 0) most = std::min(most, size / v);
        least = std::max(least, size / (v + 1) + 1);
      }
    }
    if (least > most) return std::nullopt;
    const auto known = preferred_.lower_bound(least);
    if (known != preferred_.end() && *known <= most) return *known;
    std::int64_t power = 2;
    while (power < least) power *= 2;
    return power <= most ? power : least;
  }

  /// ceil_div(m, 64) * ceil_div(n, 32): tiles that one dimension of the grid counts.
  std::optional<Formula> tiles() const {
    std::set<std::int64_t> sides = {1};
    for (std::int64_t side = 2; side <= most_side; side *= 2) sides.insert(side);
    for (const std::int64_t side : preferred_)
      if (side <= most_side) sides.insert(side);
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (std::size_t j = i; j < names_.size(); ++j)
        for (const std::int64_t a : sides)
          for (const std::int64_t b : sides) {
            if (i == j && a == 1 && b == 1) continue;
            const Value value = [i, j, a, b](const Sizes &s) {
              return divided_up(s[i], a) * divided_up(s[j], b);
            };
            if (auto found = if_right(
                    {fmt::format("ceil_div({}, {}) * ceil_div({}, {})", names_[i], a, names_[j], b), value},
                    seen_))
              return found;
          }
    return std::nullopt;
  }

  const std::vector<std::string> &names_;
  const std::vector<Observation> &seen_;
  const std::set<std::int64_t> &preferred_;
  const std::vector<Formula> &known_;
};

}  // namespace

std::optional<Formula> fit(const std::vector<std::string> &names, const std::vector<Observation> &seen,
                           const std::set<std::int64_t> &preferred, const std::vector<Formula> &known) {
  return Fit(names, seen, preferred, known).find();
}

std::vector<Formula> shares(const std::vector<std::string> &names, std::size_t turn, std::int64_t most) {
  std::vector<Formula> all;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (i != turn)
      all.push_back({fmt::format("min({} - {} * {}, {})", names[i], most, names[turn], most),
                     [i, turn, most](const Sizes &s) { return std::min(s[i] - most * s[turn], most); }});
  return all;
}

}  // namespace warpgrade::launches
