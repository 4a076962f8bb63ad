// The process that grades files for `gradebook run`: it is told a step and the file's bytes, and answers with
// a record. Whatever a file does to it, the class goes on.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "batch/bundle.hpp"
#include "batch/content.hpp"
#include "batch/worker_message.hpp"
#include "batch/workers.hpp"
#include "gpu/retired.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/processes.hpp"
#include "gradebook/variant_graders.hpp"
#include "grading/record_json.hpp"
#include "predict/for_points.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

// A hang of our own is found by these; what a submission may take has limits of its own, far below.
constexpr double build_slack = 60, grading_seconds = 1800;
// For the GPU, while every other worker times a step of its own. It may come within any case, so that a hang
// on a machine with GPUs is found only after both.
constexpr double patience_with_workers = 3600;

/// The arguments and the variable as class_run.cpp writes them.
struct Orders {
  fs::path root;
  std::string assignment;
  std::vector<std::string> gpus;  ///< addresses, the worker's own first; none: the simulator
  std::uint64_t seed;
  int threads;
  std::string fingerprint;
  std::string toolchain;
  bool no_sandbox;
};

std::vector<std::string> gpus_of(const std::string &word) {
  std::vector<std::string> gpus;
  std::istringstream addresses(word);
  for (std::string one; word != "sim" && std::getline(addresses, one, ',');) gpus.push_back(one);
  return gpus;
}

Orders orders_of(const std::vector<std::string> &words) {
  const std::string seed = environment(seed_variable);
  if (words.size() < 6 || seed.empty()) throw UsageError("grade-files is for gradebook itself");
  return {words[0],
          words[1],
          gpus_of(words[2]),
          std::stoull(seed),
          std::stoi(words[3]),
          words[4],
          words[5],
          std::find(words.begin() + 6, words.end(), "--no-sandbox") != words.end()};
}

std::optional<gpu::DeviceInfo> first_in_use(const Machine &machine, const Orders &orders) {
  for (const std::string &address : orders.gpus)
    for (const gpu::DeviceInfo &gpu : machine.gpus)
      if (gpu.pci_bus_id == address && gpu::why_retired(machine.environment.lock_directory, gpu).empty())
        return gpu;
  return std::nullopt;
}

std::string files_have_changed(const Orders &orders) {
  return fmt::format("the files of {} have changed since this run began: start it again", orders.assignment);
}

ClassGrader grader_for(const Orders &orders) {
  ClassCourse course{orders.root, orders.root / "assignments" / orders.assignment, {}, {}};
  course.assignment = course::read_assignment(course.folder);
  GradingWords how;
  how.device = orders.gpus.empty() ? "sim" : "gpu";
  how.toolchain = orders.toolchain;
  how.no_sandbox = orders.no_sandbox;
  ClassGrader g = look_here(std::move(course), how, orders.seed);
  if (how.device == "gpu") {
    const std::optional<gpu::DeviceInfo> mine = first_in_use(*g.machine, orders);
    if (!mine) throw UsageError(fmt::format("the GPU {} is gone", orders.gpus.front()));
    use_gpu(*g.machine, orders.root, g.course.assignment, *mine);
    g.device = grading::Grader(g.course.assignment, g.machine->environment, {}).device();
  }
  // A class must not be graded half with one set of cases and half with another.
  if (batch::fingerprint_of(g.setup()) != orders.fingerprint) throw UsageError(files_have_changed(orders));
  return g;
}

/// Goes over to another GPU when this one is out; false when there is nothing to change, or to.
bool change_retired_gpu(const ClassGrader &g, const Orders &orders) {
  const grading::Environment &e = g.machine->environment;
  if (!e.gpu || gpu::why_retired(e.lock_directory, *e.gpu).empty()) return false;
  const std::optional<gpu::DeviceInfo> other = first_in_use(*g.machine, orders);
  if (other) use_gpu(*g.machine, orders.root, g.course.assignment, *other);
  return other.has_value();
}

grading::StepRecord failed_for_now(const course::Step &step, std::string why) {
  grading::StepRecord record = grading::our_failure(step, std::move(why));
  record.try_again = true;
  return record;
}

/// How long a case may take until the next one is announced.
double longest_case(const ClassGrader &g) {
  return g.machine->environment.gpu ? grading_seconds + patience_with_workers : grading_seconds;
}

/// A sentence in the record of a file that is right for another variant.
void look_at_other_variants(grading::StepRecord &record, VariantGraders &variants, const course::Step &step,
                            const std::string &own, const fs::path &submission, std::uint64_t seed,
                            const ClassGrader &g, batch::WorkerChannel &channel) {
  using judge::Verdict;
  if (own.empty() || !step.has_kernel() || record.verdict == Verdict::accepted ||
      record.verdict == Verdict::not_implemented || record.verdict == Verdict::grader_error)
    return;
  channel.note("comparing with other variants");
  const std::string sentence = variants.other_variant(step, own, submission, seed,
                                                      [&] { channel.phase(build_slack + longest_case(g)); });
  if (!sentence.empty()) record.reason += (record.reason.ends_with('.') ? " " : ". ") + sentence;
}

/// Throws UsageError or variants::UnreadableVariant, at which this process ends, where a variant is not, or no longer,
/// what the conditions say.
grading::StepRecord grade_one(grading::Grader &of_class, const ClassGrader &g, const Orders &orders,
                              const std::string &request, VariantGraders &variants,
                              batch::WorkerChannel &channel) {
  const std::size_t end = request.find('\n'), next = request.find('\n', end + 1);
  const std::string id = request.substr(0, end), conditions = request.substr(end + 1, next - end - 1);
  const std::string_view whole = std::string_view(request).substr(next + 1);
  const auto [handed_in, variant] = variants::unmarked(whole);
  VariantGrader *const own = variant.empty() ? nullptr : &variants.of(variant);
  // Variants are read when a file of theirs comes, and somebody may have changed one since the conditions were noted.
  if (own && !conditions.empty() && variants.fingerprint_of(*own, id) != conditions)
    throw UsageError(files_have_changed(orders));
  grading::Grader &grader = own ? variants.grader_of(*own) : of_class;
  const course::Assignment &a = own ? own->assignment : g.course.assignment;
  const course::Step &step = find_step(a, id);
  try {
    if (const auto &gpu = g.machine->environment.gpu)
      if (std::string out = gpu::why_retired(g.machine->environment.lock_directory, *gpu); !out.empty())
        return failed_for_now(step, std::move(out));
    const std::uint64_t seed = batch::seed_of(orders.seed, step.id, whole);
    grader.use_seed(seed);
    const Scratch submission;
    const fs::path file = submission.path() / step.path();
    fs::create_directories(file.parent_path());
    for (const auto &[name, text] : batch::unbundle(step, handed_in))
      write_scratch(file.parent_path() / name, text);
    channel.phase(build::most_seconds(a.limits.compile.wall_seconds) + build_slack);
    channel.note("building");
    const build::Build build = grader.build(step, submission.path());
    channel.phase(longest_case(g));
    channel.note("running");
    grading::StepRecord record = grader.grade(step, build, submission.path());
    if (predict::earns_points(a, g.device.gpu)) {
      channel.note("predicting");
      record.predicted =
          predict::for_points(predict::Predictor(orders.root, a), grader, a, step, build, record);
    }
    look_at_other_variants(record, variants, step, variant, submission.path(), seed, g, channel);
    return record;
  } catch (const std::bad_alloc &) {
    return failed_for_now(step, "this machine has too little memory for it");
  } catch (const std::exception &e) {
    return grading::our_failure(step, e.what());
  }
}

}  // namespace

int worker(const std::vector<std::string> &words) {
  find_room_for_programs();
  const Orders orders = orders_of(words);
  batch::WorkerChannel channel;
  ClassGrader g = grader_for(orders);
  if (g.machine) g.machine->environment.gpu_wait_seconds = patience_with_workers;
  grading::Options options;
  options.seed = options.seed_of_large.emplace(batch::seed_of(orders.seed, "large cases", ""));
  options.threads = orders.threads;
  options.progress = [&channel, &g](const std::string &doing) {
    channel.phase(longest_case(g));
    channel.note(doing);
  };
  auto grader = std::make_unique<grading::Grader>(g.course.assignment, g.machine->environment, options);
  VariantGraders variants(g, options);
  channel.ready();
  while (const auto request = channel.receive()) {
    if (change_retired_gpu(g, orders)) {
      variants.forget();
      grader = std::make_unique<grading::Grader>(g.course.assignment, g.machine->environment, options);
    }
    channel.answer(grading::to_json(grade_one(*grader, g, orders, *request, variants, channel)));
  }
  return 0;
}

}  // namespace warpgrade::gradebook
