// ./grade plan STEP: what the launcher would launch, in words.
#include <fmt/format.h>

#include <iostream>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "base/text.hpp"
#include "plan/describe.hpp"

namespace warpgrade::apps {

int grade_plan(const std::vector<std::string> &words) {
  Common common;
  std::string step_id;
  CLI::App app(
      "Prints the launch plan of one call: allocations, copies, launches with grid, block and arguments.",
      "grade plan");
  app.add_option("step", step_id, "the step, such as step3")->required();
  add_common_options(app, common);
  if (const auto status = parse(app, words)) return *status;

  const Course course = open_course(common, {step_id});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, step_id);
  const auto machine = look_at_machine(course.root, a, common.device_choice(), !common.no_sandbox,
                                       toolchain_named(common.toolchain));
  const grading::Options options = grading_options(common, a);
  const grading::Grader grader(a, machine->environment, options);
  const problem::Case values =
      common.one_case(step)
          .value_or(course::Case{"", step.counters_on, course::Visibility::open, false})
          .values;

  const build::Build build = grader.build(step, course.submission);
  try {
    const plan::LaunchPlan plan = grader.plan(step, build, values);
    fmt::print("{} at {}\n", step_id, step.problem->case_name(values));
    std::cout << for_terminal(plan::describe(plan), true);
    return full_score;
  } catch (const std::runtime_error &e) {
    fmt::print("{} at {} has no plan: {}\n", step_id, step.problem->case_name(values),
               for_terminal(e.what(), true));
    return below;
  }
}

}  // namespace warpgrade::apps
