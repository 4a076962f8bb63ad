// ./grade errors STEP: every wrong element of one product, in the order in which they lie, as a driver that
// compares with a host's product prints them.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

int grade_errors(const std::vector<std::string> &words) {
  steps::ErrorsOptions w;
  CLI::App app(
      "Runs one product and lists its wrong elements, row by row: what each is and what it should be.\n"
      "The error at the end is the mean of |is - should be| over all elements.",
      "grade errors");
  app.add_option("step", w.step, "the step, such as matmul")->required();
  add_common_options(app, w.common);
  app.add_option("--most", w.most, "how many to list; 20")->check(CLI::Range(1, 1000000));
  if (const auto status = parse(app, words)) return *status;
  return steps::list_errors(w);
}

}  // namespace warpgrade::apps
