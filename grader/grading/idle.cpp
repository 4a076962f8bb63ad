// Accesses and products that serve nothing: a quotient of sectors or wavefronts looks better with many good
// ones among the bad, and a share of tensor cores with products that nobody uses.
#include <fmt/format.h>

#include <algorithm>

#include "grading/step_grader.hpp"
#include "ptx/disturb.hpp"

namespace warpgrade::grading {

namespace {

/// A program with more accesses than this has been unrolled by a compiler far beyond what somebody writes for
/// show, and trying each would take longer than a student waits.
constexpr std::size_t most_accesses = 100;

/// Whether a threshold on a quotient is met by all accesses together and missed by some of them alone.
bool may_be_diluted(const course::Step &step, const CounterRecord &counted) {
  for (const course::CounterCheck &check : step.counter_checks) {
    const bool loads = check.measure == course::Measure::load_sectors_over_ideal,
               stores = check.measure == course::Measure::store_sectors_over_ideal,
               shared = check.measure == course::Measure::wavefronts_over_ideal;
    if (check.at_least || !(loads || stores || shared)) continue;
    const auto value = judge::value_of(check.measure, counted);
    if (!value || !check.holds(*value)) continue;
    for (const simt::LaneSample &s : counted.samples) {
      const bool meant =
          shared ? s.space == ptx::Space::shared : s.space == ptx::Space::global && s.store == stores;
      if (meant && static_cast<double>(s.cost) > check.limit * static_cast<double>(s.ideal)) return true;
    }
  }
  return false;
}

/// Whether tensor cores earn points here, or would if their products are used.
bool may_be_for_show(const course::Step &step, const CounterRecord &counted) {
  return counted.counts.tensor_flops > 0 &&
         std::any_of(
             step.counter_checks.begin(), step.counter_checks.end(),
             [](const course::CounterCheck &c) { return c.measure == course::Measure::tensor_share; });
}

/// The same sizes with every factor a half, so that nothing that is read is multiplied by zero.
problem::Case with_factors(problem::Case c) {
  for (double &real : c.reals) real = 0.5;
  return c;
}

}  // namespace

/// What changes no result, to be left out: accesses, each by itself, and products, all together. A kernel
/// that uses some of its products does the rest by ordinary arithmetic, which tensor_share counts against it.
run::CodeChanges StepGrader::without_idle_accesses(const CounterRecord &counted) {
  run::CodeChanges idle;
  std::vector<std::vector<ptx::Place>> candidates;
  if (may_be_for_show(step_, counted)) candidates.push_back(ptx::tensor_products(build_.module));
  if (may_be_diluted(step_, counted)) {
    const std::vector<ptx::Place> all = ptx::memory_accesses(build_.module);
    for (std::size_t i = 0; i < all.size() && all.size() <= most_accesses; ++i)
      candidates.push_back({all[i]});
  }
  if (candidates.empty()) return idle;
  // With the counted factors too: at beta = 0 a kernel may store in another line than at any other.
  const std::vector<problem::Case> cases = {with_factors(counted.on), counted.on};
  std::vector<plan::LaunchPlan> plans;
  for (const problem::Case &c : cases) {
    const auto recording = record(c);
    if (recording->outcome != record::Recording::Outcome::plan) return idle;
    plans.push_back(recording->plan);
  }
  const auto right = [&](std::size_t i, const run::CodeChanges &changes) {
    const auto data = data_.get(*step_.problem, cases[i], seed_of(options_, *step_.problem, cases[i]));
    const run::Run run =
        simulator_.simulate(plans[i], data->inputs, simulate_options(assignment_, options_), changes);
    return run.end == run::End::completed && compare(cases[i], *data, run.buffers).wrong == 0;
  };
  for (const std::vector<ptx::Place> &candidate : candidates) {
    run::CodeChanges tried = idle;
    tried.left_out.insert(tried.left_out.end(), candidate.begin(), candidate.end());
    if (right(0, tried) && right(1, tried)) idle = std::move(tried);
  }
  return idle;
}

/// What was left out: lines that ask for less than they did.
void StepGrader::warn_of_idle_accesses(const simt::Counters &all, const simt::Counters &left) {
  const auto requests = [](const simt::LineCounters &c) { return c.global_requests() + c.shared_requests(); };
  for (const auto &[line, counters] : all.lines) {
    const auto found = left.lines.find(line);
    if (counters.tensor_products > (found == left.lines.end() ? 0 : found->second.tensor_products))
      add_once(record_.findings, {"idle_product", "warning", line.file, line.line,
                                  "this product changes no result; it is left out of what is counted", 1});
    const std::uint64_t still = found == left.lines.end() ? 0 : requests(found->second);
    if (still < requests(counters))
      add_once(record_.findings, {"idle_access", "warning", line.file, line.line,
                                  "this access changes no result; it is left out of what is counted", 1});
  }
}

}  // namespace warpgrade::grading
