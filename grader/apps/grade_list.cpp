// ./grade list: the steps of the assignment, their files, points and rules.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

int grade_list(const std::vector<std::string> &words) {
  Common w;
  CLI::App app(
      "Lists the steps of the assignment: their files, and whether you have changed them, points and rules.",
      "grade list");
  app.add_option("--submission", w.submission,
                 "the folder with the .cu files; default: this folder, or the starter");
  app.add_option("--assignment", w.assignment, "which one, such as hw6");
  if (const auto status = parse(app, words)) return *status;
  return steps::list_steps(w);
}

}  // namespace warpgrade::apps
