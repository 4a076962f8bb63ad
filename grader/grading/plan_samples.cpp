#include "grading/plan_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>

#include "grading/step_grader.hpp"

namespace warpgrade::grading {

namespace {

/// Sizes at which plans are recorded: no two tiles of them are alike.
constexpr std::int64_t ordinary[] = {37, 64, 1, 129, 1000, 33, 200, 4097, 20'011, 17, 513, 257, 96, 5};
constexpr std::size_t brief_rows = 6, brief_literals = 4, most_literals = 16;
constexpr int unplanned = 6;            // sizes by chance
constexpr std::size_t most_values = 4;  // of an integer that is no size

std::int64_t to_multiple(std::int64_t value, std::int64_t of) {
  return of > 1 ? (value + of - 1) / of * of : value;
}

/// "m, n, k from 1 to 32768", "n from 64 to 4096, a multiple of 64"
std::string range_in_words(const std::vector<std::string> &names, std::int64_t least, std::int64_t most,
                           std::int64_t divisor) {
  return fmt::format(
      "{} from {} to {}{}", fmt::join(names, ", "), least, most,
      divisor > 1 ? fmt::format(", multiple{} of {}", names.size() == 1 ? "" : "s", divisor) : "");
}

}  // namespace

PlanSamples::PlanSamples(StepGrader &grader, bool brief)
    : g_(grader), p_(*grader.step_.problem), brief_(brief) {
  find_sizes();
}

std::vector<const launches::Recorded *> PlanSamples::all() const {
  std::vector<const launches::Recorded *> made;
  for (const auto *some : {&fitted_, &checked_})
    for (const launches::Recorded &one : *some) made.push_back(&one);
  return made;
}

/// Of some of the plans, every third one checks: plans that were asked for all lie near limits.
PlanSamples::OfBranch PlanSamples::of(const launches::Branch &branch) const {
  std::vector<launches::Recorded> its;
  std::set<std::vector<std::int64_t>> seen;
  for (const launches::Recorded *one : all())
    if (is_of(*one, branch) && (seen.insert(one->sizes).second || branch.conditions.empty()))
      its.push_back(*one);
  if (its.size() == fitted_.size() + checked_.size()) return {fitted_, checked_};
  OfBranch made;
  for (std::size_t i = 0; i < its.size(); ++i) (i % 3 == 1 ? made.checked : made.fitted).push_back(its[i]);
  return made;
}

std::vector<std::string> PlanSamples::chosen_in_words() const {
  std::vector<std::string> made;
  for (std::size_t s = 0; s < chosen_.size(); ++s)
    made.push_back(fmt::format("{} = {}", p_.integers()[switches_[s].integer].name, chosen_[s]));
  return made;
}

std::vector<std::vector<std::int64_t>> PlanSamples::combinations() {
  std::vector<std::vector<std::int64_t>> all{{}};
  for (const Switch &one : switches_) chosen_.push_back(one.values.front());
  for (std::size_t s = 0; s < switches_.size(); ++s) {
    const bool matters = changes_launches(s);
    std::vector<std::vector<std::int64_t>> more;
    for (const auto &values : all)
      for (const std::int64_t value : switches_[s].values) {
        more.push_back(values);
        more.back().push_back(value);
        if (!matters) break;
      }
    all = std::move(more);
  }
  return all;
}

/// A launcher sees its arguments and the sizes of buffers, and nothing else of a case.
bool PlanSamples::changes_launches(std::size_t which) const {
  std::set<std::vector<std::int64_t>> seen;
  PlanSamples other = *this;
  for (const std::int64_t value : switches_[which].values) {
    other.chosen_[which] = value;
    const auto c = other.case_of(ordinary_row(0));
    if (!c) return true;
    std::vector<std::int64_t> given = p_.arguments(*c);
    for (const plan::Buffer &b : p_.buffers(*c)) given.push_back(static_cast<std::int64_t>(b.bytes));
    seen.insert(std::move(given));
  }
  return seen.size() > 1;
}

bool PlanSamples::is_of(const launches::Recorded &one, const launches::Branch &branch) const {
  return launches::kernels_of(one.plan) == branch.kernels && launches::allows(branch, names_, one.sizes);
}

std::vector<launches::Branch> PlanSamples::branches() {
  std::vector<launches::Choice> choices;
  std::set<std::string> kinds;
  for (const launches::Recorded *one : all()) {
    choices.push_back({one->sizes, launches::kernels_of(one->plan)});
    kinds.insert(choices.back().kernels);
  }
  if (kinds.size() == 1) return {{{}, *kinds.begin()}};
  const launches::Ask ask = [this](const std::vector<std::int64_t> &sizes) -> std::optional<std::string> {
    std::vector<launches::Recorded> one;
    if (!record_at(sizes, one) || one.empty() || one.front().sizes != sizes) return std::nullopt;
    checked_.push_back(one.front());
    return launches::kernels_of(one.front().plan);
  };
  if (brief_) return {};  // there is no time to find out
  std::vector<launches::Branch> found = launches::branches_of(names_, choices, preferred(), ask);
  for (const launches::Branch &branch : found) fill(branch);
  for (const launches::Recorded *one : all())
    if (std::none_of(found.begin(), found.end(), [&](const auto &branch) { return is_of(*one, branch); }))
      return {};
  return found;
}

/// Records further plans of a branch, until formulas can be found and checked.
void PlanSamples::fill(const launches::Branch &branch) {
  const auto count = [&](const std::vector<launches::Recorded> &some) {
    std::set<std::vector<std::int64_t>> sizes;
    for (const launches::Recorded &one : some)
      if (is_of(one, branch)) sizes.insert(one.sizes);
    return std::ssize(sizes);
  };
  std::vector<std::int64_t> likely(std::begin(ordinary), std::end(ordinary));
  for (const std::int64_t number : preferred())
    for (const std::int64_t near : {number, number + 1, 2 * number, 3 * number})
      if (near > 0) likely.push_back(near);
  for (const Size &size : sizes_)
    for (const std::int64_t most : {size.most, size.most / 2, size.most / 4 * 3 - size.divisor})
      likely.push_back(most);
  std::mt19937 random(1);
  const auto any = [&] {
    return likely[std::uniform_int_distribution<std::size_t>(0, likely.size() - 1)(random)];
  };
  for (int tries = 0, recorded = 0; tries < 4000 && recorded < 24; ++tries) {
    const bool fitted_enough = count(fitted_) >= least_fitted,
               checked_enough = count(checked_) >= least_checked;
    if (fitted_enough && checked_enough) return;
    std::vector<std::int64_t> sizes;
    for (const Size &size : sizes_)
      sizes.push_back(std::clamp(to_multiple(any(), size.divisor), size.least, size.most));
    if (!launches::allows(branch, names_, sizes)) continue;
    ++recorded;
    record_at(sizes, fitted_enough ? checked_ : fitted_);
  }
}

/// The contract's sizes: those of the problem, and other integers that the step's cases vary. Divisors are what all
/// cases have in common.
void PlanSamples::find_sizes() {
  const auto &integers = p_.integers();
  for (std::size_t i = 0; i < integers.size(); ++i) {
    std::set<std::int64_t> values;
    std::int64_t divisor = 0;
    for (const course::Case &c : g_.step_.cases) {
      if (c.visibility != course::Visibility::open) continue;
      values.insert(c.values.integers.at(i));
      divisor = std::gcd(divisor, c.values.integers.at(i));
    }
    const bool varies = values.size() > 1 && g_.step_.with.find(integers[i].name) == g_.step_.with.end();
    if (!integers[i].size && !varies) continue;
    if (!integers[i].size && values.size() <= most_values) {
      switches_.push_back({i, {values.begin(), values.end()}});
      continue;
    }
    divisor = std::max<std::int64_t>(divisor, 1);
    sizes_.push_back({i, to_multiple(std::max<std::int64_t>(integers[i].least, 1), divisor),
                      integers[i].most / divisor * divisor, divisor});
    names_.push_back(integers[i].name);
  }
}

std::string PlanSamples::in_words() const {
  std::vector<std::string> parts;
  std::vector<bool> said(sizes_.size());
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    if (said[s]) continue;
    std::vector<std::string> alike;
    for (std::size_t t = s; t < sizes_.size(); ++t)
      if (sizes_[t].least == sizes_[s].least && sizes_[t].most == sizes_[s].most &&
          sizes_[t].divisor == sizes_[s].divisor)
        alike.push_back(names_[t]), said[t] = true;
    parts.push_back(range_in_words(alike, sizes_[s].least, sizes_[s].most, sizes_[s].divisor));
  }
  for (const Switch &one : switches_)
    parts.push_back(fmt::format("{} {}", p_.integers()[one.integer].name, fmt::join(one.values, " or ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::optional<problem::Case> PlanSamples::case_of(const std::vector<std::int64_t> &sizes) const {
  if (g_.step_.cases.empty()) return std::nullopt;
  problem::Given given = problem::sizes_of(p_, g_.step_.cases.front().values);
  for (std::size_t s = 0; s < sizes.size(); ++s) given.integers[sizes_[s].integer] = sizes[s];
  for (std::size_t s = 0; s < chosen_.size(); ++s) given.integers[switches_[s].integer] = chosen_[s];
  try {
    problem::Case c = problem::complete(p_, given, g_.step_.with);
    if (!p_.needs_kernel(c)) return std::nullopt;
    return c;
  } catch (const std::invalid_argument &) {
    return std::nullopt;
  }
}

/// factor: of the case, all alike; none: numbers that nothing else is, so that a factor is not taken for a size
bool PlanSamples::record_at(std::vector<std::int64_t> sizes, std::vector<launches::Recorded> &to,
                            std::optional<double> factor) {
  for (std::size_t s = 0; s < sizes.size(); ++s)
    sizes[s] = std::clamp(to_multiple(sizes[s], sizes_[s].divisor), sizes_[s].least, sizes_[s].most);
  auto c = case_of(sizes);
  if (!c) return true;
  for (std::size_t r = 0; r < c->reals.size(); ++r)
    c->reals[r] = factor.value_or(0.3125 + 0.015625 * static_cast<double>(r) +
                                  0.0009765625 * static_cast<double>(to.size()));
  const auto recording = g_.record(*c);
  if (recording->outcome != record::Recording::Outcome::plan) return false;
  several_devices_ = !recording->plan.streams.empty();
  if (several_devices_) return false;
  to.push_back({sizes, c->reals, recording->plan});
  return true;
}

std::vector<std::int64_t> PlanSamples::ordinary_row(std::size_t row) const {
  std::vector<std::int64_t> sizes;
  for (std::size_t s = 0; s < sizes_.size(); ++s)
    sizes.push_back(ordinary[(row * (2 * s + 1) + 5 * s) % std::size(ordinary)]);
  return sizes;
}

std::string PlanSamples::record(const std::vector<std::int64_t> &chosen) {
  chosen_ = chosen;
  fitted_.clear();
  checked_.clear();
  if (sizes_.empty()) return "the problem has no sizes";
  const std::size_t rows = brief_ ? brief_rows : std::size(ordinary) - 2;
  for (std::size_t row = 0; row < rows; ++row)
    if (!record_at(ordinary_row(row), row % 3 == 2 ? checked_ : fitted_))
      return several_devices_ ? "the step is for several devices" : "the launcher fails at some sizes";
  // Where a number of blocks has an upper bound, it shows itself at the largest sizes.
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    std::vector<std::int64_t> sizes(sizes_.size());
    for (const std::int64_t less : {0, 1, 2}) {
      if (brief_ && less == 2) continue;
      // The others differ from plan to plan, or a product with one of them would look like a multiple.
      for (std::size_t other = 0; other < sizes.size(); ++other)
        sizes[other] = 3 + 2 * less + static_cast<std::int64_t>(other);
      sizes[s] = less == 2 ? sizes_[s].most / 4 * 3 : sizes_[s].most - less * sizes_[s].divisor;
      record_at(sizes,
                less == 2 ? checked_ : fitted_);  // a failure at such a size is ignored
    }
  }
  // A launcher may choose by the factors, by all sizes together, or by numbers that are in its text.
  for (const double factor : {0.0, 1.0}) record_at(ordinary_row(1), checked_, factor);
  const auto alike = [&](std::int64_t size) {
    record_at(std::vector<std::int64_t>(sizes_.size(), size), checked_);
  };
  alike(1);
  alike(std::int64_t{1} << 40);  // as large as the contract has it
  std::size_t literals = 0;
  for (const auto &[value, line] : search::literals_of(g_.source_)) {
    const bool power = std::has_single_bit(static_cast<std::uint64_t>(value));
    if ((brief_ && power) || literals >= (brief_ ? brief_literals : most_literals)) continue;
    ++literals;
    alike(value);
    if (!brief_) alike(value + 1);
  }
  // Sizes that nobody chose, small ones as often as large ones.
  std::mt19937 random(7);
  for (int n = 0; n < unplanned && !brief_; ++n) {
    std::vector<std::int64_t> sizes;
    for (const Size &size : sizes_)
      sizes.push_back(static_cast<std::int64_t>(
          std::exp(std::uniform_real_distribution(0.0, std::log(static_cast<double>(size.most)))(random))));
    record_at(sizes, checked_);
  }
  return fitted_.size() < 4 ? "too few plans could be recorded" : "";
}

std::set<std::int64_t> PlanSamples::preferred() const {
  std::set<std::int64_t> all;
  for (const launches::Recorded &one : fitted_)
    for (const plan::Operation &o : one.plan.operations)
      if (const auto *launch = std::get_if<plan::Launch>(&o))
        for (const std::uint64_t side :
             {std::uint64_t{launch->block.x}, std::uint64_t{launch->block.y}, launch->block.count()})
          if (side > 1) all.insert(static_cast<std::int64_t>(side));
  for (const auto &[value, line] : search::literals_of(g_.source_)) all.insert(value);
  return all;
}

}  // namespace warpgrade::grading
