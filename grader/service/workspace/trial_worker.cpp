// A process that runs trials: it is told a kind, a step and the file's bytes, and answers with a record or a page.
// Whatever a file does to it, the queue goes on.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "batch/bundle.hpp"
#include "batch/workers.hpp"
#include "grading/record_json.hpp"
#include "service/workspace/formatting.hpp"
#include "service/workspace/trial_queue.hpp"
#include "service/workspace/trials.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"
#include "steps/debug.hpp"
#include "variants/written_course.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;

namespace {

// A hang of our own is found by these; what a submission may take has limits of its own, far below.
constexpr double build_slack = 60, longest_trial = 900;
constexpr int gives_way = 10;  // nice: beside a process that grades, about a tenth of a core

constexpr const char *others_waited =
    "Others were waiting, so the run ended with its verdict. Further sizes and cases that cost no points "
    "were left "
    "out, or some of them. Run it again when fewer wait, or hand it in: then they are tried.";

/// What grades an assignment, or a variant of it.
struct Practice {
  std::unique_ptr<variants::WrittenCourse> course;  ///< of a variant
  course::Assignment assignment;
  grading::Environment environment;
  std::unique_ptr<grading::Grader> grader;
};

class TrialWorker {
 public:
  TrialWorker(const fs::path &service, fs::path root, const std::string &assignment,
              const std::string &toolchain, bool no_sandbox)
      : store_(service, ServiceStore::Access::open), trials_(store_), root_(std::move(root)) {
    whole_.assignment = without_hidden_cases(course::read_assignment(root_ / "assignments" / assignment));
    machine_ = look_at_machine(root_, whole_.assignment, DeviceChoice::simulator, !no_sandbox,
                               toolchain_named(toolchain));
    whole_.environment = machine_->environment;
    options_ = grading_options({}, whole_.assignment);
    options_.threads = 1;
    options_.measure = false;
    options_.others_wait = [this] {
      return stopped_early_ = stopped_early_ || trials_.others_wait(person_, whole_.assignment.name);
    };
    whole_.grader = std::make_unique<grading::Grader>(whole_.assignment, whole_.environment, options_);
    // clang takes a fraction of nvcc's time, and both give the same verdicts and counters. A course that names a compiler
    // gets that one.
    if (toolchain_named(toolchain) != build::Toolchain::automatic ||
        whole_.assignment.toolchain != build::Toolchain::automatic || !find_clang() || !find_nvcc())
      return;
    quick_ = find_front_end(*machine_->sandbox, machine_->tools,
                            grading::build_limits(whole_.assignment.limits), build::Toolchain::clang);
  }

  nlohmann::json answer(const std::string &request, batch::WorkerChannel &channel) {
    const std::size_t first = request.find('\n'), second = request.find('\n', first + 1),
                      third = request.find('\n', second + 1);
    const std::string kind = request.substr(0, first), id = request.substr(first + 1, second - first - 1);
    const std::optional<Trial> trial =
        trials_.find(std::stoll(request.substr(second + 1, third - second - 1)));
    person_ = trial ? trial->person : "";
    if (kind == "layout") return laid_out(request.substr(third + 1));
    const bool debug = kind == "debug";
    const auto [files, variant] = variants::unmarked(std::string_view(request).substr(third + 1));
    const course::Step *known = whole_.assignment.find_step(id);
    if (!known) return {{"why", "the course has no such step any more"}};
    try {
      Practice &with = variant.empty() ? whole_ : practice_of(variant);
      const course::Step &step = find_step(with.assignment, id);
      const Scratch submission;
      const fs::path file = submission.path() / step.path();
      fs::create_directories(file.parent_path());
      for (const auto &[name, text] : batch::unbundle(step, files))
        write_scratch(file.parent_path() / name, text);
      channel.phase(build::most_seconds(with.assignment.limits.compile.wall_seconds) + build_slack);
      channel.note("building");
      const build::Build build = build_of(with, step, submission.path());
      channel.phase(longest_trial);
      channel.note("running");
      stopped_early_ = false;
      if (!debug) {
        const std::string record = grading::to_json(with.grader->grade(step, build, submission.path()));
        return {{"record", record}, {"why", stopped_early_ ? others_waited : ""}};
      }
      std::string why;
      const std::string page =
          steps::debug_page(*with.grader, step, build, read_whole(step.source_in(submission.path())), why);
      return {{"page", page}, {"why", why}};
    } catch (const std::exception &e) {
      if (debug) return {{"why", e.what()}};
      return {{"record", grading::to_json(grading::our_failure(*known, e.what()))}};
    }
  }

 private:
  /// bytes: the file's name, and in the lines below its text
  nlohmann::json laid_out(const std::string &bytes) const {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    try {
      return {{"page", formatted(*machine_->sandbox, root_ / "starter" / whole_.assignment.name,
                                 bytes.substr(0, end), bytes.substr(std::min(end + 1, bytes.size())))}};
    } catch (const std::exception &e) {
      return {{"why", e.what()}};
    }
  }
  /// What clang refuses, nvcc may accept; and its messages are those that grading gives.
  build::Build build_of(const Practice &with, const course::Step &step, const fs::path &submission) const {
    if (quick_) {
      grading::Environment quickly = with.environment;
      quickly.front_end = quick_.get();
      build::Build build = grading::Grader(with.assignment, quickly, options_).build(step, submission);
      if (build.ok) return build;
    }
    return with.grader->build(step, submission);
  }

  Practice &practice_of(const std::string &variant) {
    std::unique_ptr<Practice> &made = variants_[variant];
    if (made) return *made;
    const std::string &name = whole_.assignment.name;
    auto p = std::make_unique<Practice>();
    const auto all = variants::demand_variants(root_ / "assignments" / name, name);
    p->course = std::make_unique<variants::WrittenCourse>(root_, all, variant, "none");
    p->assignment = without_hidden_cases(p->course->assignment);
    p->environment = whole_.environment;
    p->environment.starter = p->course->starter();
    p->grader = std::make_unique<grading::Grader>(p->assignment, p->environment, options_);
    made = std::move(p);
    return *made;
  }

  ServiceStore store_;
  Trials trials_;
  bool stopped_early_ = false;
  std::string person_;  ///< whose run it is
  fs::path root_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<build::FrontEnd> quick_;  ///< null: the machine's own alone
  grading::Options options_;
  Practice whole_;
  std::map<std::string, std::unique_ptr<Practice>> variants_;  // by the name of the variant
};

}  // namespace

int trial_worker(const std::vector<std::string> &words) {
  if (words.size() < 4) throw UsageError("gradebook itself starts these processes, for 'gradebook serve'");
  ::setpriority(PRIO_PROCESS, 0, gives_way);
  find_room_for_programs();
  batch::WorkerChannel channel;
  TrialWorker worker(words[0], words[1], words[2], words[3],
                     std::find(words.begin(), words.end(), "--no-sandbox") != words.end());
  channel.ready();
  while (const auto request = channel.receive())
    channel.answer(
        worker.answer(*request, channel).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return 0;
}

}  // namespace warpgrade::service
