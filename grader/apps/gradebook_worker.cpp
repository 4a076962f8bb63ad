// The process that grades files for `gradebook run`: it is told a step and the file's bytes, and answers with
// a record. Whatever a file does to it, the class goes on.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "apps/class_run.hpp"
#include "apps/command_line.hpp"
#include "apps/files.hpp"
#include "apps/gradebook_commands.hpp"
#include "batch/bundle.hpp"
#include "batch/worker_message.hpp"
#include "batch/workers.hpp"
#include "gpu/device_lock.hpp"
#include "grading/record_json.hpp"

namespace warpgrade::apps {

namespace fs = std::filesystem;

namespace {

// A hang of our own is found by these; what a submission may take has limits of its own, far below.
constexpr double build_slack = 60, grading_seconds = 1800, a_long_wait = batch::longest_phase;

/// The arguments as class_run.cpp writes them.
struct Orders {
  fs::path root;
  std::string assignment, device;
  std::uint64_t seed;
  int threads;
  std::string fingerprint;
  fs::path turns;  ///< GPUs are used by one worker at a time: locks in this folder
  std::string toolchain;
  bool no_sandbox;
};

Orders orders_of(const std::vector<std::string> &words) {
  if (words.size() < 8) throw UsageError("grade-files is for gradebook itself");
  return {words[0],
          words[1],
          words[2],
          std::stoull(words[3]),
          std::stoi(words[4]),
          words[5],
          words[6],
          words[7],
          std::find(words.begin() + 8, words.end(), "--no-sandbox") != words.end()};
}

ClassGrader grader_for(const Orders &orders) {
  ClassCourse course{orders.root, orders.root / "assignments" / orders.assignment, {}};
  course.assignment = course::read_assignment(course.folder);
  GradingWords how;
  how.device = orders.device == "sim" ? "sim" : "gpu";
  how.toolchain = orders.toolchain;
  how.no_sandbox = orders.no_sandbox;
  ClassGrader g = look_here(std::move(course), how, orders.seed);
  if (how.device == "gpu") {
    const auto &gpus = g.machine->gpus;
    const auto mine = std::find_if(gpus.begin(), gpus.end(),
                                   [&](const gpu::DeviceInfo &d) { return d.pci_bus_id == orders.device; });
    if (mine == gpus.end()) throw UsageError(fmt::format("the GPU {} is gone", orders.device));
    use_gpu(*g.machine, orders.root, g.course.assignment, *mine);
    g.device = grading::Grader(g.course.assignment, g.machine->environment, {}).device();
  }
  // A class must not be graded half with one set of cases and half with another.
  if (batch::fingerprint_of(g.setup()) != orders.fingerprint)
    throw UsageError(
        fmt::format("the files of {} have changed since this run began: start it again", orders.assignment));
  return g;
}

grading::StepRecord grade_one(grading::Grader &grader, const course::Assignment &a, const ClassGrader &g,
                              const Orders &orders, const std::string &request,
                              batch::WorkerChannel &channel) {
  const std::size_t end = request.find('\n');
  const course::Step &step = find_step(a, request.substr(0, end));
  try {
    const sandbox::Scratch submission;
    const fs::path file = submission.path() / step.path();
    fs::create_directories(file.parent_path());
    for (const auto &[name, text] : batch::unbundle(step, std::string_view(request).substr(end + 1)))
      std::ofstream(file.parent_path() / name, std::ios::binary) << text;
    channel.phase(a.limits.compile.wall_seconds + build_slack);
    const build::Build build = grader.build(step, submission.path());
    std::optional<gpu::DeviceLock> turn;  // others' kernels would show in the times of this one
    if (g.machine->environment.gpu) {
      channel.phase(a_long_wait);
      turn.emplace(orders.turns.string(), *g.machine->environment.gpu, a_long_wait);
    }
    channel.phase(grading_seconds);
    return grader.grade(step, build, submission.path());
  } catch (const std::bad_alloc &) {
    return grading::our_failure(step, "this machine has too little memory for it");
  } catch (const std::exception &e) {
    return grading::our_failure(step, e.what());
  }
}

}  // namespace

int gradebook_worker(const std::vector<std::string> &words) {
  const Orders orders = orders_of(words);
  batch::WorkerChannel channel;
  const ClassGrader g = grader_for(orders);
  grading::Options options;
  options.seed = orders.seed;
  options.threads = orders.threads;
  grading::Grader grader(g.course.assignment, g.machine->environment, options);
  channel.ready();
  while (const auto request = channel.receive())
    channel.answer(grading::to_json(grade_one(grader, g.course.assignment, g, orders, *request, channel)));
  return 0;
}

}  // namespace warpgrade::apps
