// ./grade prove STEP: what holds for all sizes of the contract.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

int grade_prove(const std::vector<std::string> &words) {
  steps::ProveOptions w;
  CLI::App app(
      "Says what holds for all sizes of the contract: every access within its buffer, no races, every\n"
      "element written once, every barrier reached by all, no overflow. Each is proved, refuted by a case,\n"
      "or not decided.",
      "grade prove");
  app.add_option("step", w.step, "the step, such as step1");
  add_common_options(app, w.common);
  app.add_option("--seconds", w.seconds, "how long to take at most; 10")->check(CLI::Range(0.1, 3600.0));
  app.add_option("--json", w.json, "also write the result to this file (schema warpgrade.proof/1)");
  app.add_option("--html", w.html, "also write a page to this file, with pictures of what fails");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--json", "--html"});
  return steps::prove_step(w);
}

}  // namespace warpgrade::apps
