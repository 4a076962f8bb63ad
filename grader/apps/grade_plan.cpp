// ./grade plan STEP: what the launcher would launch, in words.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

int grade_plan(const std::vector<std::string> &words) {
  steps::PlanOptions w;
  CLI::App app(
      "Prints the launch plan of one call: allocations, copies, launches with grid, block and arguments.",
      "grade plan");
  app.add_option("step", w.step, "the step, such as step3")->required();
  add_common_options(app, w.common);
  if (const auto status = parse(app, words)) return *status;
  return steps::print_plan(w);
}

}  // namespace warpgrade::apps
