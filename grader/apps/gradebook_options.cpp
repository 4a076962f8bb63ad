#include "apps/gradebook_options.hpp"

#include <fmt/format.h>

#include "gradebook/class_slurm.hpp"

namespace warpgrade::apps {

void add_grading_options(CLI::App &app, gradebook::GradingWords &w) {
  app.add_option("--device", w.device, "auto, gpu or sim")->check(CLI::IsMember({"auto", "gpu", "sim"}));
  app.add_option("--gpus", w.gpus,
                 "which GPUs measure, such as 0,1; default: all of the same kind as the first");
  add_toolchain_option(app, w.toolchain);
  app.add_option("--jobs", w.jobs, "how many files are graded at a time; default: one per core")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--no-sandbox", w.no_sandbox, "run student code with limits but without a sandbox");
  app.add_option("--executor", w.executor,
                 "local: on this machine; slurm: as job arrays of a cluster, submitted from here")
      ->check(CLI::IsMember({"local", "slurm"}));
  app.add_option("--slurm", w.slurm,
                 fmt::format("with --executor slurm: a YAML file with partition, gres, time and so on; "
                             "default: {} beside assignments/, if it exists",
                             gradebook::slurm_file_name))
      ->check(CLI::ExistingFile);
}

void add_policy_option(CLI::App &app, std::string &word) {
  app.add_option("--without-gpu", word,
                 "confirms that a class that was begun with another policy changes to this one, which "
                 "assignment.yaml has: leave, rescale or predicted")
      ->check(CLI::IsMember({"leave", "rescale", "predicted"}));
}

}  // namespace warpgrade::apps
