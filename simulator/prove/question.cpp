#include "prove/question.hpp"

#include <algorithm>
#include <set>

namespace warpgrade::prove {
namespace {

/// Numbers around those that the formula contains, small ones first.
std::vector<std::int64_t> interesting(const Formula &formula, std::int64_t most) {
  std::set<std::int64_t> found{1, 2, 3, 4, 5, 7};
  for (const Atom &atom : formula.atoms)
    for (const auto &[monomial, factor] : atom.polynomial.terms()) {
      const Integer size = factor < 0 ? -factor : factor;
      if (size > most) continue;
      for (const int more : {-1, 0, 1}) found.insert(static_cast<std::int64_t>(size) + more);
    }
  std::erase_if(found, [&](std::int64_t n) { return n > most; });
  return {found.begin(), found.end()};
}

}  // namespace

bool CaseFinder::allowed(const Sizes &sizes) const {
  try {
    return std::all_of(problem_.assumptions.begin(), problem_.assumptions.end(),
                       [&](const Expression &text) { return holds(text, sizes); });
  } catch (const std::invalid_argument &) {
    return false;
  }
}

/// Exactly, for these sizes.
std::optional<CaseFinder::Found> CaseFinder::at(const Formula &formula, const Sizes &sizes) {
  if (!allowed(sizes)) return std::nullopt;
  Formula fixed = formula;
  for (const auto &[name, size] : sizes)
    fixed = fixed.substitute(symbol_of(scene_.sizes.at(name)), Polynomial(Integer{size}));
  const Solution solution = decider_.solve(fixed);
  if (solution.emptiness != Emptiness::has_point) return std::nullopt;
  Found found{sizes, {}, false, {}};
  for (const auto *indices : {&scene_.block_index, &scene_.thread_index})
    for (const Polynomial &index : *indices) {
      if (index.constant()) continue;
      const auto value = solution.point.find(symbol_of(index));
      if (value != solution.point.end())
        found.thread[scene_.symbols.name(value->first)] = static_cast<std::int64_t>(value->second);
    }
  return found;
}

/// All combinations of some sizes, those with the smallest sum first.
std::vector<Sizes> CaseFinder::combinations(const std::vector<std::int64_t> &values, std::size_t most) const {
  std::vector<Sizes> all{{}};
  for (const auto &[name, size] : scene_.sizes) {
    std::vector<Sizes> more;
    for (const Sizes &one : all)
      for (const std::int64_t value : values)
        if (more.size() < 1000) {
          more.push_back(one);
          more.back()[name] = value;
        }
    all = std::move(more);
  }
  const auto sum = [](const Sizes &sizes) {
    std::int64_t result = 0;
    for (const auto &[name, n] : sizes) result += n;
    return result;
  };
  std::stable_sort(all.begin(), all.end(), [&](const Sizes &a, const Sizes &b) { return sum(a) < sum(b); });
  all.resize(std::min(all.size(), most));
  return all;
}

std::vector<Sizes> CaseFinder::candidates(const Formula &danger) {
  // With what is assumed of sizes that the danger does not speak of.
  std::vector<Polynomial> sizes_of_all;
  for (const auto &[name, size] : scene_.sizes) sizes_of_all.push_back(size);
  const Formula formula = scene_.symbols.complete(danger, sizes_of_all);
  std::vector<Sizes> result = combinations({1, 2, 3}, 27);
  for (const std::int64_t most : {std::int64_t{40}, limits_.points, std::int64_t{1100}}) {
    Formula small = formula;
    for (const auto &[name, size] : scene_.sizes)
      small.atoms.push_back(at_least(Polynomial(Integer{most}), size));
    const Solution solution = decider_.solve(small);
    if (solution.point.empty()) continue;
    Sizes sizes;
    for (const auto &[name, size] : scene_.sizes) {
      const auto value = solution.point.find(symbol_of(size));
      sizes[name] = value == solution.point.end() ? 1 : static_cast<std::int64_t>(value->second);
    }
    result.push_back(sizes);
    if (solution.emptiness == Emptiness::has_point) break;
  }
  const std::vector<Sizes> more = combinations(interesting(formula, limits_.points), 150);
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

std::optional<CaseFinder::Found> CaseFinder::find(const Danger &danger, bool Seen::*failed) {
  std::optional<Found> best;
  if (!danger.possible) return best;
  constexpr int most_unfinished = 3;  // what never ends takes long, and further sizes likely do the same
  int runs = 0, unfinished = 0;
  for (const Sizes &sizes : candidates(danger.formula)) {
    if (runs >= limits_.cases || unfinished == most_unfinished || decider_.out_of_time()) break;
    std::optional<Found> found = at(danger.formula, sizes);
    if (!found) continue;
    if (!best) best = found;
    if (!runner_) break;
    ++runs;
    const std::optional<Seen> seen = run(sizes);
    unfinished += seen && seen->unfinished ? 1 : 0;
    if (!seen || !((*seen).*failed)) continue;
    found->confirmed = true;
    // A finding of another kind would say nothing about this property.
    const int kinds = int{seen->outside} + int{seen->race} + int{seen->barrier};
    if (kinds == 1 || failed == &Seen::outside) found->text = seen->text;
    return found;
  }
  return best;
}

/// The least value of these sizes, the others being as small as they may, at which the formula has a solution.
std::optional<Sizes> CaseFinder::least_of(const Formula &formula, const std::vector<std::string> &alike) {
  Sizes sizes;
  Integer most = problem_.largest;
  for (const auto &[name, size] : scene_.sizes) {
    const Range range = scene_.symbols.range(size);
    sizes[name] = static_cast<std::int64_t>(std::max<Integer>(range.low, 1));
    if (std::find(alike.begin(), alike.end(), name) != alike.end()) most = std::min(most, range.high);
  }
  const auto with = [&](std::int64_t value) {
    Sizes all = sizes;
    for (const std::string &name : alike) all[name] = value;
    return all;
  };
  // A contract may allow multiples only.
  const auto allowed_near = [&](std::int64_t value, std::int64_t step) {
    for (int tries = 0; tries < 130 && value >= 1; ++tries, value += step)
      if (allowed(with(value))) return value;
    return std::int64_t{0};
  };
  std::int64_t none = 0, some = allowed_near(static_cast<std::int64_t>(most), -1);
  // The largest sizes may make buffers that no machine has.
  while (some >= 1 && !at(formula, with(some)))
    some = decider_.out_of_time() ? 0 : allowed_near(some / 2, -1);
  if (some < 1) return std::nullopt;
  while (some - none > 1 && !decider_.out_of_time()) {
    const std::int64_t middle = none + (some - none) / 2, tried = allowed_near(middle, 1);
    if (tried > 0 && tried < some && at(formula, with(tried)))
      some = tried;
    else
      none = middle;
  }
  return with(some);
}

std::optional<CaseFinder::Found> CaseFinder::find_far(const Danger &danger, bool Seen::*failed) {
  std::vector<std::vector<std::string>> groups{{}};
  for (const auto &[name, size] : scene_.sizes) groups.front().push_back(name);
  const std::vector<std::string> names = groups.front();
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size() && names.size() > 2; ++j)
      groups.push_back({names[i], names[j]});
    if (names.size() > 1) groups.push_back({names[i]});
  }
  std::optional<Found> best;
  for (const auto &alike : groups) {
    if (decider_.out_of_time()) break;
    const auto sizes = least_of(danger.formula, alike);
    if (!sizes) continue;
    std::optional<Found> found = at(danger.formula, *sizes);
    if (!found) continue;
    if (!best) best = found;
    if (!runner_) return best;
    const std::optional<Seen> seen = run(*sizes);
    if (!seen || !((*seen).*failed)) continue;
    found->confirmed = true;
    found->text = seen->text;
    return found;
  }
  return best;
}

std::optional<Seen> CaseFinder::run(const Sizes &sizes) {
  const auto known = run_.find(sizes);
  return known != run_.end() ? known->second : run_[sizes] = runner_(sizes);
}

}  // namespace warpgrade::prove
