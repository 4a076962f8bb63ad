// ./grade search STEP: a case that fails where the step's cases do not.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

int grade_search(const std::vector<std::string> &words) {
  steps::SearchOptions w;
  CLI::App app(
      "Looks for a case that fails: sizes around the constants that kernels and launcher compare with and\n"
      "divide by, until every branch was taken both ways. Shows the smallest case that fails, and the\n"
      "branches by line.",
      "grade search");
  app.add_option("step", w.step, "the step, such as step1");
  add_common_options(app, w.common);
  app.add_option("--seconds", w.seconds, "how long to look; 5")->check(CLI::Range(0.1, 3600.0));
  app.add_option("--json", w.json, "also write the result to this file (schema warpgrade.search/1)");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--json"});
  return steps::search_step(w);
}

}  // namespace warpgrade::apps
