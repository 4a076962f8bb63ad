#include <fmt/format.h>

#include "grading/step_grader.hpp"
#include "judge/rules.hpp"

namespace warpgrade::grading {

run::SimulateOptions simulate_options(const course::Assignment &a, const Options &options) {
  run::SimulateOptions o;
  o.warp_instructions = a.limits.simulate.warp_instructions;
  o.printed_bytes = a.limits.simulate.printed_bytes;
  o.scratch_bytes = a.limits.plan.scratch_bytes;
  o.threads = options.threads;
  o.count = false;
  return o;
}

Counting count_call(const course::Assignment &a, const course::Step &step, const Options &options,
                    const plan::LaunchPlan &plan, std::shared_ptr<const simt::DeviceCode> code,
                    const problem::Case &c) {
  run::SimulateOptions how = simulate_options(a, options);
  how.count = how.sample_lanes = true;
  run::Run run = run::simulate(plan, std::move(code), step.problem->inputs(c, options.seed), how);
  Counting counting;
  counting.why_not = run.message;
  if (run.end != run::End::completed) {
    if (!run.diagnostics.empty()) counting.why_not = judge::finding(run.diagnostics.back()).message;
    if (run.end == run::End::time_limit)
      counting.why_not = fmt::format(
          "counting at {} takes more than the {:.0e} warp instructions that the simulator may spend; a "
          "smaller size tells the same",
          step.problem->case_name(c), static_cast<double>(a.limits.simulate.warp_instructions));
    return counting;
  }
  counting.counters.emplace();
  counting.counters->counts = std::move(*run.counters);
  counting.counters->outputs_per_thread = judge::outputs_per_thread(plan, step.problem->outputs(c));
  counting.counters->on = c;
  counting.counters->samples = std::move(run.samples);
  return counting;
}

std::vector<simt::TracedRequest> trace_call(const course::Assignment &a, const course::Step &step,
                                            const Options &options, const plan::LaunchPlan &plan,
                                            std::shared_ptr<const simt::DeviceCode> code,
                                            const problem::Case &c, std::uint64_t block) {
  run::SimulateOptions how = simulate_options(a, options);
  how.trace = simt::TraceOptions{.block = block};
  run::Run run = run::simulate(plan, std::move(code), step.problem->inputs(c, options.seed), how);
  if (run.end != run::End::completed) throw std::runtime_error(run.message);
  if (run.trace.size() >= how.trace->most)
    throw std::runtime_error(fmt::format("{} makes more than {} requests in block {}; take a smaller size",
                                         step.problem->case_name(c), how.trace->most, block));
  return std::move(run.trace);
}

}  // namespace warpgrade::grading
