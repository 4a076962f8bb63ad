// ./grade predict [STEP...]: how fast steps would be on a GPU that is not here.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "bench/bench.hpp"

namespace warpgrade::apps {

int grade_predict(const std::vector<std::string> &words) {
  bench::PredictOptions w;
  CLI::App app(
      "Predicts how fast steps would be on a GPU that is not in this machine, from a few blocks on the "
      "simulator: a "
      "rate "
      "with an\n"
      "interval, what limits it, and the lines that take the time. A prediction gives no points.",
      "grade predict");
  app.add_option("step", w.steps, "the steps; default: all of the course");
  add_common_options(app, w.common);
  app.add_option("--gpu", w.gpus,
                 "one or several of assignments/gpus, such as nvidia-t4; default: the GPUs that the course "
                 "has thresholds for")
      ->delimiter(',');
  app.add_option("--sizes", w.sizes, "one or several, such as 1024,2048 or 256:4096:256 (first:last:step)")
      ->delimiter(',');
  app.add_option("--json", w.json, "also write it to this file (schema warpgrade.prediction/1)");
  if (const auto status = parse(app, words)) return *status;
  require_writable(app, {"--json"});
  return bench::predict(w);
}

}  // namespace warpgrade::apps
