// ./grade explain STEP: which lines of a step are slow, and why.
#include <algorithm>
#include <iostream>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "bench/bench.hpp"
#include "steps/steps.hpp"

namespace warpgrade::apps {

int grade_explain(const std::vector<std::string> &words) {
  steps::ExplainOptions w;
  bool checklist = false;
  std::vector<std::string> gpus;
  CLI::App app(
      "Says which lines of a step are slow, and why: memory traffic by source line as the simulator counts "
      "it,\n"
      "worst lines first, with what to do about them. Needs no GPU and measures no time.",
      "grade explain");
  app.add_option("step", w.step, "the step, such as step1");
  add_common_options(app, w.common);
  app.add_flag("--checklist", checklist, "print the checklist that advice refers to, and nothing else");
  app.add_option("--line", w.line, "draw the 32 lanes of a warp over what this line touches")
      ->check(CLI::PositiveNumber);
  app.add_flag("--lanes", w.lanes, "the same of the worst line");
  app.add_option("--svg", w.svg, "also draw a picture in this file, of --line or of all lines");
  app.add_option(
         "--draw", w.draw,
         "what --svg draws: lanes (the default) over what the worst access touches; fragments: which "
         "lane holds which element of a product on tensor cores; banks: the worst request over shared "
         "memory; tile: what an asynchronous copy writes there")
      ->check(CLI::IsMember({"lanes", "fragments", "banks", "tile"}));
  app.add_option("--gpu", gpus,
                 "also predict its time on one or several of assignments/gpus, such as nvidia-t4")
      ->delimiter(',');
  app.add_option("--json", w.json, "also write the figures to this file (schema warpgrade.explain/1)");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--svg", "--json"});
  if (checklist) return steps::print_checklist();
  w.gpus = gpus;
  const int status = steps::explain_step(w);
  if (gpus.empty() || status == grader_failed) return status;
  std::cout << '\n';
  return std::max(
      status,
      bench::predict(
          {.common = w.common, .steps = {w.step}, .sizes = {}, .gpus = gpus, .json = {}, .what_if = true}));
}

}  // namespace warpgrade::apps
