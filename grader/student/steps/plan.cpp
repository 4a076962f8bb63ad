#include <fmt/format.h>

#include <iostream>

#include "base/text.hpp"
#include "plan/describe.hpp"
#include "setup/selection.hpp"
#include "steps/steps.hpp"

namespace warpgrade::steps {

int print_plan(const PlanOptions &w) {
  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const auto machine = look_at_machine(course.root, a, w.common.device_choice(), !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  const grading::Options options = grading_options(w.common, a);
  const grading::Grader grader(a, machine->environment, options);
  const problem::Case values = w.common.case_to_look_at(step);

  const build::Build build = grader.build(step, course.submission);
  try {
    const plan::LaunchPlan plan = grader.plan(step, build, values);
    fmt::print("{} at {}\n", w.step, step.problem->case_name(values));
    std::cout << for_terminal(plan::describe(plan), true);
    return full_score;
  } catch (const std::runtime_error &e) {
    fmt::print("{} at {} has no plan: {}\n", w.step, step.problem->case_name(values),
               for_terminal(e.what(), true));
    return below;
  }
}

}  // namespace warpgrade::steps
