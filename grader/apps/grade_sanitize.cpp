// ./grade sanitize STEP: NVIDIA's compute-sanitizer beside the simulator.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "sanitize/sanitize.hpp"

namespace warpgrade::apps {

int grade_sanitize(const std::vector<std::string> &words) {
  sanitize::SanitizeOptions w;
  CLI::App app(
      "Runs compute-sanitizer's four tools on a step on this machine's GPU, and shows what they find beside "
      "what\n"
      "the simulator finds. It runs the case of the step's counters, or the one that you name.",
      "grade sanitize");
  app.add_option("step", w.step, "the step, such as step1");
  add_common_options(app, w.common);
  app.add_option("--tool", w.tools,
                 "only this tool: memcheck, racecheck, initcheck or synccheck; can be repeated")
      ->check(CLI::IsMember({"memcheck", "racecheck", "initcheck", "synccheck"}));
  app.add_option("--seconds", w.seconds, "how long each tool may take; 300")->check(CLI::Range(1.0, 86400.0));
  app.add_option("--json", w.json, "also write the result to this file (schema warpgrade.sanitize/1)");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--json"});
  return sanitize::sanitize_step(w);
}

}  // namespace warpgrade::apps
