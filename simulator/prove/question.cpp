#include "prove/question.hpp"

#include <algorithm>
#include <set>

namespace warpgrade::prove {
namespace {

Symbol symbol_of(const Polynomial &p) {
  return p.terms().begin()->first.front();
}

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

std::vector<Sizes> CaseFinder::candidates(const Formula &formula) {
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
  int runs = 0;
  for (const Sizes &sizes : candidates(danger.formula)) {
    if (runs >= limits_.cases || decider_.out_of_time()) break;
    std::optional<Found> found = at(danger.formula, sizes);
    if (!found) continue;
    if (!best) best = found;
    if (!runner_) break;
    ++runs;
    const std::optional<Seen> seen = run(sizes);
    if (!seen || !((*seen).*failed)) continue;
    found->confirmed = true;
    // A finding of another kind would say nothing about this property.
    const int kinds = int{seen->outside} + int{seen->race} + int{seen->barrier};
    if (kinds == 1 || failed == &Seen::outside) found->text = seen->text;
    return found;
  }
  return best;
}

std::optional<Seen> CaseFinder::run(const Sizes &sizes) {
  const auto known = run_.find(sizes);
  return known != run_.end() ? known->second : run_[sizes] = runner_(sizes);
}

}  // namespace warpgrade::prove
