#include "gradebook/class_slurm.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <random>

#include "batch/slurm_probe.hpp"
#include "gradebook/processes.hpp"
#include "setup/files.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

course::SlurmSite site_of(const ClassCourse &course, const GradingWords &words) {
  if (!words.slurm.empty()) return course::read_slurm_site(words.slurm);
  const fs::path beside = fs::relative(course.root / slurm_file_name);
  return fs::exists(beside) ? course::read_slurm_site(beside) : course::SlurmSite();
}

/// The class's folder for work and results; its name is kept with the class, and is the same after a move.
fs::path work_folder(const batch::Store &store, const course::SlurmSite &site) {
  const fs::path here = fs::canonical(store.folder()) / slurm_folder_name;
  if (site.folder.empty()) return here;
  fs::create_directories(here);
  const fs::path name_file = here / "name";
  if (!fs::exists(name_file)) {
    std::random_device random;
    write_whole(name_file, fmt::format("warpgrade-{:08x}{:08x}\n", random(), random()));
  }
  const std::vector<std::string> lines = lines_of(read_whole(name_file));
  if (lines.empty() || !lines[0].starts_with("warpgrade-") || lines[0].find('/') != std::string::npos)
    throw UsageError(fmt::format("{} is damaged; remove it", name_file.string()));
  return fs::path(site.folder) / lines[0];
}

batch::SlurmOptions options_of(const batch::Store &store, const ClassCourse &course,
                               const GradingWords &words, std::uint64_t seed) {
  batch::SlurmOptions options;
  options.site = site_of(course, words);
  options.folder = work_folder(store, options.site);
  options.program = fs::read_symlink("/proc/self/exe");
  options.command = {task_command};
  options.label = course.assignment.name;
  // Who asks for GPUs and gets a node whose driver is broken does not want a class on the simulator.
  const bool asks_for_gpu = options.site.gres.starts_with("gpu");
  options.orders.device = words.device == "auto" && asks_for_gpu ? "gpu" : words.device;
  options.orders.version = WARPGRADE_VERSION;
  options.orders.root = fs::canonical(course.root).string();
  options.orders.assignment = course.assignment.name;
  options.orders.seed = seed;
  options.orders.toolchain = words.toolchain;
  options.orders.no_sandbox = words.no_sandbox;
  options.orders.jobs = words.jobs;
  return options;
}

/// Of a run whose conditions are known.
batch::SlurmOptions options_of(const batch::Store &store, const ClassGrader &grader) {
  batch::SlurmOptions options = options_of(store, grader.course, grader.words, grader.seed);
  options.orders.device = grader.device.gpu ? "gpu" : "sim";
  options.orders.fingerprint = batch::fingerprint_of(grader.setup());
  return options;
}

std::string fingerprint_now(const ClassGrader &grader) {
  try {
    batch::ClassSetup setup = grader.setup();
    const course::Assignment now = course::read_assignment(grader.course.folder);
    setup.assignment = &now;
    const course::Thresholds thresholds =
        course::read_thresholds(grader.course.folder, now, grader.device.gpu ? grader.device.name : "none");
    setup.thresholds = &thresholds;
    return batch::fingerprint_of(setup);
  } catch (const course::ConfigError &) {
    return "a mistake in the YAML";
  }
}

}  // namespace

std::optional<ClassGrader> look_at_a_node(const batch::Store &store, ClassCourse course,
                                          const GradingWords &words, std::uint64_t seed,
                                          const Interruption &interruption) {
  batch::SlurmOptions options = options_of(store, course, words, seed);
  options.command = {probe_command};
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error)
    throw UsageError(fmt::format("the folder {} for work and results cannot be created: {}",
                                 options.folder.string(), error.message()));
  batch::SlurmCluster cluster;
  const auto say = [](const std::string &line) { fmt::print(stderr, "{}\n", for_terminal(line)); };
  const auto facts = batch::ask_a_node(cluster, options, now, say, interruption.descriptor());
  if (!facts) return std::nullopt;
  if (!facts->problem.empty())
    throw UsageError(
        fmt::format("node {} of the cluster cannot grade this class: {}", facts->node, facts->problem));
  ClassGrader grader;
  grader.thresholds = course::read_thresholds(course.folder, course.assignment,
                                              facts->device.gpu ? facts->device.name : std::string("none"));
  grader.course = std::move(course);
  grader.words = words;
  grader.seed = seed;
  grader.device = facts->device;
  grader.front_end = facts->front_end;
  grader.sandbox = facts->sandbox;
  return grader;
}

std::vector<batch::Task> under_way_on_slurm(const batch::Store &store, const ClassGrader &grader) {
  const batch::SlurmOptions options = options_of(store, grader);
  return batch::under_way(options.folder, options.orders);
}

bool run_on_slurm(const batch::Store &store, const ClassGrader &grader,
                  const std::vector<batch::Task> &pending, const ConditionsOfTask &conditions,
                  const batch::SlurmRun::Take &take, const batch::SlurmRun::Say &say,
                  const std::function<void(batch::SlurmRun &)> &meanwhile, const Interruption &interruption) {
  batch::SlurmOptions options = options_of(store, grader);
  options.changed = [&grader, folder = options.folder, before = options.orders.fingerprint] {
    batch::forget_node(folder);  // it was not like all others: the next run looks anew
    return fingerprint_now(grader) != before;
  };
  batch::SlurmCluster cluster;
  batch::SlurmRun run(
      cluster, std::move(options), pending,
      [&](const batch::Task &task) { return told_of(conditions(task), store.file(task.file).value()); }, take,
      now, say);
  return run.run(interruption.descriptor(), [&] {
    if (meanwhile) meanwhile(run);
  });
}

void forget_slurm_results(const batch::Store &store, const ClassGrader &grader,
                          const std::vector<batch::Task> &tasks) {
  batch::forget_results(options_of(store, grader.course, grader.words, grader.seed).folder, tasks);
}

}  // namespace warpgrade::gradebook
