#include "authoring/threshold_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpgrade::authoring {

double rounded(double v) {
  const double unit = std::pow(10, std::floor(std::log10(v)) - 1);
  return std::round(v / unit) * unit;
}

std::string size_text(const course::Step &step, const problem::Case &c) {
  const problem::Problem &p = *step.problem;
  problem::Given given = problem::sizes_of(p, c);
  const auto other = [&](const auto &n) { return n && n != given.integers.front(); };
  const bool short_form = problem::complete(p, given, step.with) == c;
  if (short_form && std::none_of(given.integers.begin(), given.integers.end(), other))
    return std::to_string(c.integers.front());
  if (!short_form) given.integers.assign(c.integers.begin(), c.integers.end());
  std::string text;
  for (std::size_t i = 0; i < c.integers.size(); ++i)
    if (given.integers[i])
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", p.integers()[i].name, c.integers[i]);
  return "{" + text + "}";
}

std::string threshold_text(double value, std::string_view library) {
  return library.empty() ? fmt::format("{:.0f}", value) : fmt::format("{:.2g} {}", value, library);
}

}  // namespace warpgrade::authoring
