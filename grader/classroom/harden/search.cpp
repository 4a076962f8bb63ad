#include "harden/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "search/candidates.hpp"

namespace warpgrade::harden {

std::vector<course::Case> graded_cases(const course::Step &step, course::Visibility visibility) {
  std::vector<course::Case> all;
  for (const course::Case &c : step.cases)
    if (c.visibility == visibility && !c.gpu_only && !c.advisory) all.push_back(c);
  std::stable_sort(all.begin(), all.end(), [&](const course::Case &a, const course::Case &b) {
    return step.problem->work(a.values) < step.problem->work(b.values);
  });
  return all;
}

std::vector<problem::Case> wider_cases(const course::Step &step, const std::string &source) {
  constexpr std::size_t cases_at_most = 80;
  constexpr std::int64_t small = 160;  // a size that the search goes up to however small the cases are
  constexpr std::int64_t most_around = 512;
  const problem::Problem &p = *step.problem;
  const search::Shape shape = search::shape_of(step);
  search::Knowledge known{{32}, {5, 7, 8, 11, 13, 17, 29}, search::literals_of(source), {}, {}};
  search::Bounds bounds;
  bounds.work = 0;
  std::optional<problem::Case> base;
  for (const auto visibility : {course::Visibility::hidden, course::Visibility::open})
    for (const course::Case &c : graded_cases(step, visibility)) {
      base = c.values;
      bounds.work = std::max(bounds.work, p.work(c.values));
      for (const std::size_t s : shape.sizes)
        if (c.values.integers[s] > 1 && c.values.integers[s] <= most_around)
          known.constants.insert(c.values.integers[s]);
    }
  if (!base) return {};
  try {
    bounds.work =
        std::max(bounds.work, p.work(problem::complete(p, problem::all_sizes(p, small), step.with)));
  } catch (const std::invalid_argument &) {  // the problem has no such case
  }
  search::Candidates candidates(step, *base, shape, std::move(known), bounds);
  std::vector<problem::Case> all;
  while (all.size() < cases_at_most) {
    auto next = candidates.next({});
    if (!next) break;
    all.push_back(std::move(*next));
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](const problem::Case &a, const problem::Case &b) { return p.work(a) < p.work(b); });
  return all;
}

std::string as_yaml(const course::Step &step, const problem::Case &c) {
  const problem::Problem &p = *step.problem;
  const problem::Given given = problem::sizes_of(p, c);
  std::string text;
  const auto add = [&](const std::string &name, const std::string &value) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value);
  };
  for (std::size_t i = 0; i < given.integers.size(); ++i)
    if (given.integers[i]) add(p.integers()[i].name, std::to_string(*given.integers[i]));
  for (std::size_t r = 0; r < c.reals.size(); ++r)
    if (c.reals[r] != p.reals()[r].otherwise) add(p.reals()[r].name, fmt::format("{}", c.reals[r]));
  return "{" + text + "}";
}

}  // namespace warpgrade::harden
