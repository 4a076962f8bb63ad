#include "harden/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "base/source_text.hpp"
#include "problem/random.hpp"

namespace warpgrade::harden {

namespace {

/// The numbers of a source that may be extents of blocks and tiles.
std::set<std::int64_t> constants_of(const std::string &source) {
  constexpr std::int64_t least = 2, most = 512;
  static const std::regex number("\\b[0-9]{1,4}\\b");
  const std::string code = without_comments(source);
  std::set<std::int64_t> all = {8, 32};
  for (std::sregex_iterator m(code.begin(), code.end(), number), end; m != end; ++m)
    if (const std::int64_t n = std::stoll(m->str()); n >= least && n <= most) all.insert(n);
  return all;
}

/// A size that the search goes up to however small the cases are.
constexpr std::int64_t small = 160;

struct Domain {
  bool alike = true;  ///< all sizes of a case are equal
  double most_work = 0;
  std::set<std::int64_t> sizes;
  std::vector<std::set<double>> reals;
};

Domain domain_of(const course::Step &step) {
  const problem::Problem &p = *step.problem;
  Domain d;
  d.reals.resize(p.reals().size());
  for (std::size_t r = 0; r < p.reals().size(); ++r) d.reals[r].insert(p.reals()[r].otherwise);
  for (const auto visibility : {course::Visibility::open, course::Visibility::hidden})
    for (const course::Case &c : graded_cases(step, visibility)) {
      std::set<std::int64_t> here;
      for (std::size_t i = 0; i < p.integers().size(); ++i)
        if (p.integers()[i].size) here.insert(c.values.integers[i]);
      d.alike = d.alike && here.size() <= 1;
      d.sizes.merge(here);
      d.most_work = std::max(d.most_work, p.work(c.values));
      for (std::size_t r = 0; r < c.values.reals.size() && r < d.reals.size(); ++r)
        d.reals[r].insert(c.values.reals[r]);
    }
  return d;
}

/// What a case may take: twice as much as those of the step, or as much as one of small sizes.
double most_work(const course::Step &step, const Domain &d) {
  const problem::Problem &p = *step.problem;
  try {
    return std::max(2 * d.most_work, p.work(problem::complete(p, problem::all_sizes(p, small), step.with)));
  } catch (const std::invalid_argument &) {
    return 2 * d.most_work;
  }
}

std::vector<std::int64_t> sizes_to_try(const Domain &d, const std::string &source) {
  std::set<std::int64_t> all = {1, 2, 3, 5, 7, 11, 13, 17, 29};
  for (const std::int64_t c : constants_of(source))
    for (const std::int64_t times : {1, 2, 3})
      for (const std::int64_t off : {-1, 0, 1}) all.insert(times * c + off);
  for (const std::int64_t s : d.sizes)
    for (const std::int64_t off : {-2, -1, 1, 2}) all.insert(s + off);
  const std::int64_t largest = d.sizes.empty() ? small : std::max(small, 2 * *d.sizes.rbegin());
  all.erase(all.upper_bound(largest), all.end());
  all.erase(all.begin(), all.lower_bound(1));
  return {all.begin(), all.end()};
}

}  // namespace

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
  const problem::Problem &p = *step.problem;
  const Domain d = domain_of(step);
  const std::vector<std::int64_t> sizes = sizes_to_try(d, source);
  if (sizes.empty()) return {};
  const double most = most_work(step, d);
  std::vector<problem::Case> all;
  const auto pick = [](std::uint64_t i, std::uint64_t stream, std::size_t n) {
    return problem::random_bits(1, stream, i) % n;
  };
  const std::size_t tries = d.alike ? sizes.size() : 4 * cases_at_most;
  for (std::size_t i = 0; i < tries && all.size() < cases_at_most; ++i) try {
      problem::Given given(p);
      for (std::size_t n = 0; n < given.integers.size(); ++n)
        if (p.integers()[n].size) given.integers[n] = sizes[d.alike ? i : pick(i, n, sizes.size())];
      for (std::size_t r = 0; r < d.reals.size(); ++r) {
        const std::vector<double> values(d.reals[r].begin(), d.reals[r].end());
        given.reals[r] = values[pick(i, 100 + r, values.size())];
      }
      problem::Case c = problem::complete(p, given, step.with);
      if (p.work(c) <= most && std::find(all.begin(), all.end(), c) == all.end()) all.push_back(std::move(c));
    } catch (const std::invalid_argument &) {  // the problem has no such case
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
