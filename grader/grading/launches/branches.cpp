#include "launches/branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "launches/plans.hpp"
#include "prove/prove.hpp"

namespace warpgrade::launches {
namespace {

constexpr int most_depth = 4, most_questions = 240;
constexpr std::size_t most_pairs = 3;  // of choices by which a limit is found and checked
constexpr std::int64_t divisors[] = {2, 4, 8, 16, 32, 64, 128};

using Choices = std::vector<const Choice *>;

/// How mixed choices are: the chance that two of them differ, times their number.
double mixture(const Choices &some) {
  std::map<std::string, double> counts;
  for (const Choice *one : some) ++counts[one->kernels];
  double same = 0;
  for (const auto &[kernels, count] : counts) same += count * count;
  return some.empty() ? 0 : static_cast<double>(some.size()) - same / static_cast<double>(some.size());
}

/// A condition of one size, and the opposite.
struct Test {
  std::size_t size = 0;
  bool divides = false;
  std::int64_t number = 0;  ///< size <= number, or size % number == 0
  std::int64_t next = 0;    ///< of a limit: the next larger size that was seen
  double mixture_after = 0;

  bool holds(const Choice &c) const {
    return divides ? c.sizes[size] % number == 0 : c.sizes[size] <= number;
  }
  std::string text(const std::string &name, bool yes) const {
    return divides ? fmt::format("{} % {} {} 0", name, number, yes ? "==" : "!=")
                   : fmt::format("{} {} {}", name, yes ? "<=" : ">", number);
  }
};

class Tree {
 public:
  Tree(const std::vector<std::string> &names, const std::set<std::int64_t> &likely, const Ask &ask)
      : names_(names), likely_(likely), ask_(ask) {}

  std::vector<Branch> grow(const Choices &all) {
    split(all, {}, 0);
    return std::move(branches_);
  }

 private:
  void split(const Choices &some, const std::vector<std::string> &conditions, int depth) {
    const double now = mixture(some);
    if (now > 0 && depth < most_depth)
      for (Test test : tests_of(some)) {
        if (test.mixture_after >= now) break;
        if (test.divides ? !is_divisor(some, test) : !find_limit(some, test)) continue;
        Choices yes, no;
        for (const Choice *one : some) (test.holds(*one) ? yes : no).push_back(one);
        for (const bool which : {true, false}) {
          std::vector<std::string> more = conditions;
          more.push_back(test.text(names_[test.size], which));
          split(which ? yes : no, more, depth + 1);
        }
        return;
      }
    std::set<std::string> kinds;
    for (const Choice *one : some)
      if (kinds.insert(one->kernels).second) branches_.push_back({conditions, one->kernels});
  }

  /// Those that tell choices apart, the best first; limits before divisors where they do it as well.
  std::vector<Test> tests_of(const Choices &some) const {
    std::vector<Test> all;
    for (std::size_t s = 0; s < names_.size(); ++s) {
      std::set<std::int64_t> values;
      for (const Choice *one : some) values.insert(one->sizes[s]);
      for (auto v = values.begin(); v != values.end() && std::next(v) != values.end(); ++v)
        all.push_back({s, false, *v, *std::next(v)});
      for (const std::int64_t by : divisors) all.push_back({s, true, by});
      for (const std::int64_t by : likely_)
        if (by > 1 && by < 4096) all.push_back({s, true, by});
    }
    for (Test &test : all) {
      Choices yes, no;
      for (const Choice *one : some) (test.holds(*one) ? yes : no).push_back(one);
      test.mixture_after = yes.empty() || no.empty() ? mixture(some) : mixture(yes) + mixture(no);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Test &a, const Test &b) { return a.mixture_after < b.mixture_after; });
    return all;
  }

  /// What is launched at these sizes; nothing too once so many were asked for that no answer is to count.
  std::optional<std::string> ask(const std::vector<std::int64_t> &sizes) {
    if (questions_ >= most_questions) return std::nullopt;
    ++questions_;
    return ask_(sizes);
  }
  auto along(const Choice &one, std::size_t size) {
    return [this, &one, size, sizes = one.sizes](std::int64_t value) mutable -> std::optional<std::string> {
      sizes[size] = value;
      return sizes == one.sizes ? std::optional(one.kernels) : ask(sizes);
    };
  }

  /// The limit between two sizes that were seen, from further plans. False: it is not this size alone that decides.
  bool find_limit(const Choices &some, Test &test) {
    const std::int64_t below = test.number, above = test.next;
    std::optional<std::int64_t> limit;
    std::size_t pairs = 0;
    for (const Choice *one : some) {
      if (pairs == most_pairs) break;
      auto at = along(*one, test.size);
      const auto low = at(below), high = at(above);
      if (!low || !high || *low == *high) continue;
      ++pairs;
      if (limit) {  // where other sizes are others, the limit must be the same
        if (at(*limit) != low || at(*limit + 1) != high) return false;
        continue;
      }
      limit = limit_between(below, above, *low, at);
      if (!limit || !is_constant(below, *limit, *low, at) || !is_constant(*limit + 1, above, *high, at) ||
          moves(*one, test.size, *limit))
        return false;
    }
    if (questions_ >= most_questions) return false;
    if (limit) test.number = *limit;
    return limit.has_value();
  }

  /// Whether the same is launched all over a range, as far as a few sizes show it: at its ends, and unevenly between.
  template <typename At>
  static bool is_constant(std::int64_t from, std::int64_t to, const std::string &kernels, At &at) {
    std::set<std::int64_t> tried;
    for (const std::int64_t near : {0, 1, 2, 3}) tried.insert({from + near, to - near});
    for (std::int64_t part = 1; part <= 6; ++part) tried.insert(from + (to - from) / 7 * part + part);
    return std::all_of(tried.begin(), tried.end(),
                       [&](std::int64_t size) { return size < from || size > to || at(size) == kernels; });
  }

  /// Whether a limit is another one where another size is half or twice as large, or may be.
  bool moves(const Choice &one, std::size_t size, std::int64_t limit) {
    for (std::size_t other = 0; other < names_.size(); ++other)
      for (const bool twice : {true, false}) {
        if (other == size) continue;
        Choice there = one;
        there.sizes[other] = twice ? 2 * one.sizes[other] : one.sizes[other] / 2;
        there.kernels.clear();
        const auto at = [&](std::int64_t value) {
          std::vector<std::int64_t> sizes = there.sizes;
          sizes[size] = value;
          return ask(sizes);
        };
        const auto here = at(limit), next = at(limit + 1);
        if (!here && questions_ < most_questions) continue;  // the launcher takes no such sizes
        if (questions_ >= most_questions || (here == next && at(limit / 2) != at(2 * limit))) return true;
      }
    return false;
  }

  /// Whether it is this divisor that decides: adding 1 changes the choice, adding the divisor does not.
  bool is_divisor(const Choices &some, const Test &test) {
    std::size_t tried = 0;
    for (const Choice *one : some) {
      if (!test.holds(*one) || ++tried > most_pairs) continue;
      auto at = along(*one, test.size);
      const std::int64_t size = one->sizes[test.size];
      const auto next = at(size + 1);
      if (next && *next != one->kernels && at(size + test.number) == one->kernels) return true;
    }
    return false;
  }

  /// The last size at which `low` is launched.
  template <typename At>
  std::optional<std::int64_t> limit_between(std::int64_t below, std::int64_t above, const std::string &low,
                                            At &at) const {
    for (const std::int64_t number : likely_)
      for (const std::int64_t limit : {number, number - 1})
        if (limit >= below && limit < above && at(limit) == low) {
          const auto next = at(limit + 1);
          if (next && *next != low) return limit;
        }
    while (above - below > 1) {
      const std::int64_t middle = below + (above - below) / 2;
      const auto there = at(middle);
      if (!there) return std::nullopt;
      (*there == low ? below : above) = middle;
    }
    return below;
  }

  const std::vector<std::string> &names_;
  const std::set<std::int64_t> &likely_;
  const Ask &ask_;
  int questions_ = 0;
  std::vector<Branch> branches_;
};

}  // namespace

std::string kernels_of(const plan::LaunchPlan &plan) {
  std::string all, last;
  for (const plan::Launch *launch : launches_of(plan))
    if (launch->kernel != last) {
      last = launch->kernel;
      all += last + "\n";
    }
  return all;
}

std::vector<Branch> branches_of(const std::vector<std::string> &names, const std::vector<Choice> &seen,
                                const std::set<std::int64_t> &likely, const Ask &ask) {
  Choices all;
  for (const Choice &one : seen) all.push_back(&one);
  return Tree(names, likely, ask).grow(all);
}

bool allows(const Branch &branch, const std::vector<std::string> &names,
            const std::vector<std::int64_t> &sizes) {
  prove::Sizes at;
  for (std::size_t s = 0; s < names.size(); ++s) at[names[s]] = sizes[s];
  return std::all_of(branch.conditions.begin(), branch.conditions.end(),
                     [&](const std::string &one) { return prove::holds(one, at); });
}

}  // namespace warpgrade::launches
