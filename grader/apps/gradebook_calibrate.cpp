// ./gradebook calibrate: thresholds for the GPU of this machine, or its description.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "authoring/authoring.hpp"

namespace warpgrade::apps {

int gradebook_calibrate(const std::vector<std::string> &words) {
  authoring::CalibrateOptions w;
  CLI::App app(
      "Measures the solutions on the GPU of this machine and proposes thresholds for it: "
      "thresholds/<gpu>.yaml.\n"
      "The shares come from `calibration` in assignment.yaml. An existing file is replaced only after "
      "confirmation.\n"
      "With --predict, nothing is measured: the thresholds are shares of the lowest rate at which the model "
      "of docs/prediction.md\n"
      "expects the solutions on that GPU, and the file says so.\n"
      "With --machine, it runs microbenchmarks instead, in less than a minute, and writes a description of "
      "the GPU "
      "for predictions:\n"
      "assignments/gpus/<gpu>.yaml, with what arithmetic, memory and launches cost, and how much they "
      "varied. Nothing else should use the GPU meanwhile.",
      "gradebook calibrate");
  app.add_option("assignment,--assignment", w.common.assignment, "which one, such as hw6");
  bool machine = false;
  app.add_flag("--machine", machine, "describe the GPU itself, for ./grade predict")
      ->excludes("--assignment");
  app.add_option("--predict", w.predict,
                 "predict for one or several of assignments/gpus, such as nvidia-t4, or for all that have no "
                 "other thresholds, instead of measuring")
      ->delimiter(',')
      ->excludes("--machine");
  app.add_option("--out", w.out, "write this file instead of the assignment's or the GPU's");
  app.add_flag("-y,--yes", w.yes, "replace an existing file without asking");
  app.add_flag("--no-sandbox", w.common.no_sandbox, "run the solutions with limits only");
  if (const auto status = parse(app, words)) return *status;
  return machine ? authoring::calibrate_machine({w.out, w.yes}) : authoring::calibrate(w);
}

}  // namespace warpgrade::apps
