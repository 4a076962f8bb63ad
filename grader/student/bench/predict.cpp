#include <iostream>
#include <map>
#include <stdexcept>

#include "bench/bench.hpp"
#include "predict/step.hpp"
#include "report/prediction.hpp"
#include "setup/files.hpp"
#include "setup/sizes.hpp"
#include "whatif/promises.hpp"

namespace warpgrade::bench {

namespace {

/// Those that were named, or the GPUs that the course has thresholds for.
std::vector<predict::Machine> machines_of(const std::vector<std::string> &named,
                                          const predict::Predictor &predictor) {
  std::vector<predict::Machine> machines;
  try {
    for (const std::string &name : named) machines.push_back(predictor.machine(name));
  } catch (const std::invalid_argument &e) {
    throw UsageError(e.what());
  }
  if (named.empty()) machines = predictor.machines();
  if (machines.empty())
    throw UsageError("which GPU? The course has no thresholds for one: say --gpu nvidia-t4");
  return machines;
}

/// Where nobody names a size: the one at which the step is timed, or the largest for another step with the
/// same problem.
problem::Case usual_size(const course::Assignment &a, const course::Step &step,
                         const predict::Predictor &predictor, const predict::Machine &machine) {
  if (const auto size = predictor.timed_size(machine, step)) return *size;
  std::optional<problem::Case> largest;
  for (const course::Step &other : a.steps) {
    const auto size = other.problem == step.problem ? predictor.timed_size(machine, other) : std::nullopt;
    if (size && (!largest || step.problem->work(*size) > step.problem->work(*largest))) largest = size;
  }
  return largest ? *largest : case_of(step, problem::all_sizes(*step.problem, 2048));
}

std::vector<problem::Case> cases_of(const PredictOptions &w, const course::Step &step) {
  std::vector<problem::Case> cases;
  for (const std::int64_t n : sizes_of(w.sizes))
    cases.push_back(case_of(step, problem::all_sizes(*step.problem, n)));
  if (const std::string &one = w.common.one.empty() ? w.common.size : w.common.one; !one.empty()) try {
      cases.push_back(case_of(step, problem::parse_given(*step.problem, one)));
    } catch (const std::invalid_argument &e) {
      throw UsageError(e.what());
    }
  return cases;
}

}  // namespace

int predict(const PredictOptions &w) {
  const Course course = open_course(w.common, w.steps);
  const course::Assignment &a = course.assignment;
  std::vector<const course::Step *> steps = pick_steps(a, w.steps);
  std::erase_if(steps, [](const auto *s) { return !s->has_kernel(); });
  if (steps.empty()) throw UsageError("a file of answers has no kernel to predict");
  predict::Predictor predictor(course.root, a);
  if (w.what_if || !w.json.empty()) predictor.further = whatif::promise;
  const std::vector<predict::Machine> machines = machines_of(w.gpus, predictor);
  const auto here = look_at_machine(course.root, a, DeviceChoice::simulator, !w.common.no_sandbox,
                                    toolchain_named(w.common.toolchain));
  const grading::Grader grader(a, here->environment, grading_options(w.common, a));
  std::map<std::string, build::Build> builds;
  for (const course::Step *step : steps) builds.emplace(step->id, grader.build(*step, course.submission));
  std::vector<predict::StepPrediction> points;
  bool any = false;
  for (const predict::Machine &machine : machines)
    for (const course::Step *step : steps) {
      std::vector<problem::Case> cases = cases_of(w, *step);
      if (cases.empty()) cases.push_back(usual_size(a, *step, predictor, machine));
      for (const problem::Case &size : cases) {
        points.push_back(predictor.predict(grader, *step, builds.at(step->id), size, machine));
        any = any || points.back().prediction.why_not.empty();
      }
    }
  std::cout << report::predictions_to_terminal(a.name, points, terminal_style()) << std::flush;
  if (!w.json.empty()) write_whole(w.json, report::predictions_to_json(a.name, points));
  return any ? full_score : below;
}

}  // namespace warpgrade::bench
