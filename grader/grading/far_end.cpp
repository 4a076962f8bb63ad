#include "grading/far_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "grading/step_grader.hpp"

namespace warpgrade::grading {

namespace {

constexpr std::uint64_t most_touched_bytes = std::uint64_t{1} << 30;
/// Enough for an index of the first loop's turns to show itself; a long loop is not run to its end.
constexpr std::uint64_t most_warp_instructions = 1'000'000;
constexpr std::int64_t few = 32;
constexpr std::uint64_t most_in_an_int = std::numeric_limits<std::int32_t>::max();

/// A plan that fills or copies buffers would touch all of them.
bool moves_much(const plan::LaunchPlan &plan) {
  std::uint64_t bytes = 0;
  for (const plan::Operation &o : plan.operations) {
    if (const auto *set = std::get_if<plan::SetMemory>(&o)) bytes += set->width * set->rows;
    if (const auto *copy = std::get_if<plan::CopyWithin>(&o)) bytes += copy->width * copy->rows;
  }
  return bytes > most_touched_bytes / 16;
}

/// "C has 2147581950 elements, and an int counts to 2147483647"
std::string what_overflows(const problem::Problem &p, const problem::Case &c,
                           const std::vector<run::HostBuffer> &inputs) {
  const std::vector<plan::Buffer> buffers = p.buffers(c);
  for (std::size_t b = 0; b < buffers.size() && b < inputs.size(); ++b) {
    const std::uint64_t elements = buffers[b].bytes / inputs[b].element_bytes;
    if (elements > most_in_an_int)
      return fmt::format("{} has {} elements, and an int counts to {}", buffers[b].name, elements,
                         most_in_an_int);
  }
  return "";
}

}  // namespace

bool is_too_large(const problem::Problem &p, const problem::Case &c) {
  std::uint64_t bytes = 0;
  for (const plan::Buffer &b : p.buffers(c)) bytes += b.bytes;
  return bytes > most_touched_bytes;
}

/// Accepted, a fault outside the buffers, or nothing that can be said.
void StepGrader::look_at_the_far_end(judge::CaseVerdict &v, const plan::LaunchPlan &plan) {
  problem::Case small = v.values;
  for (std::size_t i = 0; i < small.integers.size(); ++i)
    if (step_.problem->integers()[i].size) small.integers[i] = std::min(small.integers[i], few);
  const std::vector<run::HostBuffer> inputs = step_.problem->inputs(small, v.seed);
  const std::string overflows = what_overflows(*step_.problem, v.values, inputs);
  if (overflows.empty() || moves_much(plan)) return;
  run::SimulateOptions options = simulate_options(assignment_, options_);
  options.count = false;
  options.far_end = true;
  options.warp_instructions = std::min(options.warp_instructions, most_warp_instructions);
  const run::Run run = simulator_.simulate(plan, inputs, options);
  if (run.end == run::End::completed) v.verdict = judge::Verdict::accepted;
  const bool outside = run.end == run::End::fault && !run.diagnostics.empty() &&
                       run.diagnostics.back().code == simt::Code::out_of_bounds;
  if (!outside) return;
  v.verdict = judge::Verdict::out_of_bounds;
  v.reason = fmt::format("an index overflows: {}", overflows);
  v.findings = judge::judge_run(run, std::nullopt, false, {}, true).findings;
  for (judge::Finding &f : v.findings)
    f.message = fmt::format(
        "this index overflows an int: {}; compute it in 64 bits, as static_cast<std::int64_t>(row) * columns "
        "+ "
        "column does",
        overflows);
}

}  // namespace warpgrade::grading
