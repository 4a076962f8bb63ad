#include "course/read_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/did_you_mean.hpp"

namespace warpgrade::course {

namespace {

problem::Case completed(const Yaml &y, const problem::Problem &problem, const problem::Given &given,
                        const problem::Formulas &with) {
  try {
    return problem::complete(problem, given, with);
  } catch (const std::invalid_argument &e) {
    y.fail(e.what());
  }
}

}  // namespace

problem::Case read_values(const Yaml &y, const problem::Problem &problem, const problem::Formulas &with,
                          const std::vector<std::string_view> &also) {
  std::vector<std::string_view> known = also;
  for (const problem::Integer &i : problem.integers()) known.push_back(i.name);
  for (const problem::Real &r : problem.reals()) known.push_back(r.name);
  y.expect_keys(known);
  problem::Given given(problem);
  for (std::size_t i = 0; i < given.integers.size(); ++i) {
    const problem::Integer &known_as = problem.integers()[i];
    const bool needed = !known_as.otherwise && !with.contains(known_as.name);
    if (needed || y.has(known_as.name))
      given.integers[i] = y.at(known_as.name).integer(known_as.least, known_as.most);
  }
  for (std::size_t r = 0; r < given.reals.size(); ++r)
    if (const auto real = y.find(problem.reals()[r].name)) given.reals[r] = real->real(-1e30, 1e30);
  return completed(y, problem, given, with);
}

problem::Case read_size(const Yaml &y, const problem::Problem &problem, const problem::Formulas &with) {
  if (y.is_map()) return read_values(y, problem, with);
  std::int64_t least = 1, most = INT64_MAX;
  for (const problem::Integer &i : problem.integers())
    if (i.size) least = std::max(least, i.least), most = std::min(most, i.most);
  return completed(y, problem, problem::all_sizes(problem, y.integer(least, most)), with);
}

Case read_case(const Yaml &y, const problem::Problem &problem, const problem::Formulas &with,
               Visibility visibility) {
  Case c;
  c.values = read_values(y, problem, with, {"on", "advisory"});
  c.name = problem.case_name(c.values);
  c.visibility = visibility;
  if (const auto on = y.find("on")) {
    on->one_of({"gpu"}), c.gpu_only = true;
    if (problem.devices(c.values) > 1)
      on->fail(
          "this case would wait for ever: a launcher for several devices is graded on the simulator; remove "
          "'on: gpu'");
  }
  if (const auto advisory = y.find("advisory")) {
    c.advisory = advisory->boolean();
    if (c.advisory && c.gpu_only)
      advisory->fail("an advisory case runs on the simulator; remove 'advisory' or 'on: gpu'");
    if (c.advisory && visibility == Visibility::hidden)
      advisory->fail("a hidden case cannot be advisory: its warning would show what is hidden");
  }
  return c;
}

std::vector<problem::Case> read_near(const Yaml &y, const problem::Problem &problem,
                                     const problem::Formulas &with, const problem::Case &nominal) {
  constexpr std::int64_t most = 1000;
  y.expect_keys({"from", "to", "multiple_of"});
  const std::int64_t from = y.at("from").integer(1, 1 << 30), to = y.at("to").integer(from, 1 << 30),
                     step = y.at("multiple_of").integer(1, 1 << 30);
  std::vector<problem::Case> cases;
  for (std::int64_t size = (from + step - 1) / step * step; size <= to; size += step) {
    // A number that is not a size, such as the number of bins, is kept; numbers that follow from the sizes
    // are not.
    problem::Given given = problem::all_sizes(problem, size);
    for (std::size_t i = 0; i < given.integers.size(); ++i) {
      const problem::Integer &known = problem.integers()[i];
      if (!known.size && !with.contains(known.name)) given.integers[i] = nominal.integers.at(i);
    }
    given.reals.assign(nominal.reals.begin(), nominal.reals.end());
    problem::Case c = completed(y, problem, given, with);
    if (c != nominal) cases.push_back(std::move(c));
    if (cases.size() > most) y.fail(fmt::format("more than {} sizes", most));
  }
  if (cases.empty())
    y.fail(fmt::format("no multiple of {} from {} to {} but the size itself", step, from, to));
  return cases;
}

problem::Formulas read_formulas(const Yaml &y, const problem::Problem &problem) {
  problem::Formulas formulas;
  for (const auto &[name, item] : y.entries()) {
    const auto &known = problem.integers();
    if (std::none_of(known.begin(), known.end(), [&name = name](const auto &i) { return i.name == name; })) {
      std::vector<std::string> names;
      for (const problem::Integer &i : known) names.push_back(i.name);
      item.fail_at_key(fmt::format("the problem {} has no '{}'{} (it has: {})", problem.name(), name,
                                   did_you_mean(name, names), fmt::join(names, ", ")));
    }
    try {
      formulas.emplace(name, problem::Formula(item.text()));
    } catch (const problem::FormulaError &e) {
      item.fail(e.what());
    }
  }
  return formulas;
}

}  // namespace warpgrade::course
