#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "grading/step_grader.hpp"
#include "setup/selection.hpp"
#include "steps/steps.hpp"

namespace warpgrade::steps {

namespace {

constexpr double most_flops = 3e9;  // beyond, a reference in double takes a host too long

/// What one call leaves in the buffers: on the GPU where there is one, else on the simulator.
run::Run run_once(const grading::Environment &environment, const course::Assignment &a,
                  const grading::Options &options, const build::Build &build, const plan::LaunchPlan &plan,
                  const std::vector<run::HostBuffer> &inputs) {
  if (environment.gpu) {
    gpu::Replay replay(grading::gpus_for(environment, plan::most_devices), build.fatbin,
                       {a.limits.gpu_wall_seconds, a.limits.plan.scratch_bytes}, environment.gpu_children);
    return replay.replay(plan, inputs);
  }
  run::SimulateOptions how = grading::simulate_options(a, options);
  how.warp_instructions *= 100;  // whoever names a size waits for it
  run::Simulator simulator(environment.simulator, build.fatbin, grading::simulator_limits(a.limits));
  return simulator.simulate(plan, inputs, how);
}

/// Lists what is not close; gives how many elements that is.
std::uint64_t print_errors(const problem::MatrixProduct &p, const problem::Reference &reference,
                           const run::HostBuffer &result, double tolerance, std::uint64_t most) {
  const auto got = result.as<float>();
  std::uint64_t wrong = 0;
  double sum = 0;
  for (std::size_t e = 0; e < reference.want.size(); ++e) {
    const problem::Cell cell{static_cast<std::int64_t>(e) / p.n, static_cast<std::int64_t>(e) % p.n};
    const double value = got[static_cast<std::size_t>(p.c.at(cell.row, cell.column))],
                 error = std::fabs(value - reference.want[e]);
    sum += error;
    if (error <= tolerance * reference.scale[e]) continue;  // a NaN is never close
    if (wrong++ == 0) fmt::print("Error report for {}:\n", p.names[2]);
    if (wrong <= most)
      fmt::print("{} is {:.6g}, should be: {:.6g}\n", problem::name_of(cell, p.names[2]), value,
                 reference.want[e]);
  }
  if (wrong > 0)
    fmt::print("*** A total of {} differences, error = {:.6g}\n", wrong,
               sum / static_cast<double>(reference.want.size()));
  return wrong;
}

}  // namespace

int list_errors(const ErrorsOptions &w) {
  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const auto one = w.common.one_case(step);
  const problem::Case c = one ? one->values : step.counters_on;
  const auto product = step.problem->product(c);
  if (!product) throw UsageError(fmt::format("{} computes no matrix product", step.id));
  if (step.problem->flops(c) > most_flops)
    throw UsageError(
        fmt::format("{}: too large to compare every element; 1024 is not", step.problem->case_name(c)));
  const auto machine = look_at_machine(course.root, a, w.common.device_choice(), !w.common.no_sandbox);
  const grading::Options options = grading_options(w.common, a);
  const grading::Grader grader(a, machine->environment, options);
  const build::Build build = grader.build(step, course.submission);
  try {
    const plan::LaunchPlan plan = grader.plan(step, build, c);
    const std::vector<run::HostBuffer> inputs = step.problem->inputs(c, options.seed);
    const run::Run run =
        run_once(grading::for_step(machine->environment, step), a, options, build, plan, inputs);
    if (run.end != run::End::completed) throw std::runtime_error(run.message);
    fmt::print("{} at {} on {}\n", step.id, step.problem->case_name(c), grader.device().name);
    const std::uint64_t wrong =
        print_errors(*product, step.problem->reference(c, inputs), run.buffers.at(2), a.tolerance, w.most);
    if (wrong > 0) return below;
    fmt::print("no errors found\n");
    return full_score;
  } catch (const std::runtime_error &e) {
    fmt::print("{} did not run to its end: {}\n", step.id, for_terminal(e.what(), true));
    return below;
  }
}

}  // namespace warpgrade::steps
