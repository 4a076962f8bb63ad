// A race whose result is right in the order in which the simulator happens to run warps and blocks: which single
// change of that order makes it wrong. It changes no verdict; the race is an error either way.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <variant>

#include "grading/step_grader.hpp"

namespace warpgrade::grading {

namespace {

constexpr double most_work_reordered = 4e7;
constexpr std::uint64_t most_instructions_reordered = 200'000;  // of warps, in one run
constexpr std::size_t most_orders = 8;

/// One warp of each block, or one block, that runs before the others.
struct Change {
  bool of_blocks = false;
  std::uint64_t first = 0;
  simt::Dim3 block{0, 0, 0};
  auto operator<=>(const Change &other) const {
    return std::pair(of_blocks, first) <=> std::pair(other.of_blocks, other.first);
  }
};

std::uint64_t number_in(const simt::Dim3 &at, const plan::Dim3 &extent) {
  return (std::uint64_t{at.z} * extent.y + at.y) * extent.x + at.x;
}

/// Of each race the side that came later, then the one that came earlier: these are the orders that may show it.
std::vector<Change> changes_for(const run::Run &run, const plan::LaunchPlan &plan) {
  std::vector<Change> all;
  const auto add = [&](const Change &one) {
    const bool there = std::any_of(all.begin(), all.end(), [&](const Change &c) { return (c <=> one) == 0; });
    if (!there && all.size() < most_orders) all.push_back(one);
  };
  for (const simt::Diagnostic &d : run.diagnostics) {
    if (d.code != simt::Code::race || d.severity != simt::Severity::error || !d.other) continue;
    for (const plan::Operation &operation : plan.operations) {
      const auto *launch = std::get_if<plan::Launch>(&operation);
      if (!launch) continue;
      const std::uint64_t here = number_in(d.here.block, launch->grid),
                          there = number_in(d.other->block, launch->grid);
      if (here != there) {
        add({true, here, d.here.block});
        add({true, there, d.other->block});
        continue;
      }
      const std::uint64_t warp = number_in(d.here.thread, launch->block) / 32,
                          other = number_in(d.other->thread, launch->block) / 32;
      if (warp == other) continue;  // lanes of one warp have no order that could change
      add({false, warp});
      add({false, other});
    }
  }
  return all;
}

std::string in_words(const Change &change) {
  return change.of_blocks ? fmt::format("block ({}, {}, {}) runs before the others", change.block.x,
                                        change.block.y, change.block.z)
                          : fmt::format("warp {} of each block runs before the others", change.first);
}

}  // namespace

std::optional<std::string> StepGrader::order_that_fails(const problem::Case &c, std::uint64_t seed) {
  const problem::Problem &p = *step_.problem;
  const auto recording = record(c);
  if (recording->outcome != record::Recording::Outcome::plan || p.work(c) > most_work_reordered)
    return std::nullopt;
  run::SimulateOptions how = simulate_options(assignment_, options_);
  how.warp_instructions = std::min(how.warp_instructions, most_instructions_reordered);
  how.count = false;
  const std::vector<run::HostBuffer> inputs = p.inputs(c, seed);
  const problem::Reference reference = p.reference(c, inputs);
  const auto wrong = [&](const run::Run &run) -> std::optional<problem::Mismatch> {
    const problem::Comparison found = p.compare(c, inputs, reference, run.buffers, assignment_.tolerance);
    if (found.wrong == 0 || found.first.empty()) return std::nullopt;
    return found.first.front();
  };
  const run::Run plain = simulator_.simulate(recording->plan, inputs, how);
  if (plain.end != run::End::completed || wrong(plain)) return std::nullopt;
  for (const Change &change : changes_for(plain, recording->plan)) {
    how.warp_first.reset();
    how.block_first.reset();
    if (change.of_blocks)
      how.block_first = change.first;
    else
      how.warp_first = static_cast<std::uint32_t>(change.first);
    const run::Run other = simulator_.simulate(recording->plan, inputs, how);
    if (other.end != run::End::completed) continue;
    if (const auto first = wrong(other))
      return fmt::format(
          "at {} the result happens to be right in the simulator's order; when {}, {} is {} and should be {}",
          p.case_name(c), in_words(change), first->where, problem::number_in_words(first->got, 7),
          problem::number_in_words(first->want, 7));
  }
  return std::nullopt;
}

void StepGrader::show_order(judge::CaseVerdict &shown) {
  if (shown.smallest) shown.order = order_that_fails(shown.smallest->values, shown.seed);
  if (!shown.order) shown.order = order_that_fails(shown.values, shown.seed);
}

}  // namespace warpgrade::grading
