#include "service/workspace/trial_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "batch/lock.hpp"
#include "batch/workers.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"
#include "service/workspace/trials.hpp"
#include "setup/interruption.hpp"
#include "setup/selection.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;

namespace {

constexpr auto say_at_most_every = std::chrono::seconds(20);
constexpr auto phases_at_most_every = std::chrono::milliseconds(400);  // each is a write to the disk
constexpr int answers_of_a_worker = 200;

/// Hands out the trials of one assignment.
class TrialQueue {
 public:
  TrialQueue(const fs::path &folder, Trials &trials, batch::ClassLock &lock,
             const gradebook::ClassGrader &grader, const Interruption &interruption)
      : trials_(trials), grader_(grader), interruption_(interruption) {
    // A successor removes what processes left that were killed.
    options_.started = [&lock](pid_t process) { lock.note(process); };
    state_.ready = true;
    state_.device = json::write(grader.device).dump();
    state_.fingerprint = batch::fingerprint_of(grader.setup());
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int workers = grader.words.jobs > 0 ? std::min(grader.words.jobs, cores) : cores;
    std::vector<std::string> words = {trial_worker_command, folder.string(), grader.course.root.string(),
                                      grader.course.assignment.name, grader.words.toolchain};
    if (grader.words.no_sandbox) words.emplace_back("--no-sandbox");
    options_.arguments.assign(static_cast<std::size_t>(workers), words);
    options_.answers = answers_of_a_worker;
    options_.more_may_come = true;
    options_.noted = [this](const std::string &request, const std::string &doing) { note(request, doing); };
  }

  void run() {
    say();
    batch::Workers workers(options_);
    workers.meanwhile = [this] {
      if (std::chrono::steady_clock::now() - said_ <= say_at_most_every) return;
      end_if_the_course_has_changed();
      say();
    };
    workers.run([this] { return next(); }, [this](const batch::Reply &reply) { take(reply); },
                interruption_.descriptor());
  }

 private:
  bool failed(Trial &trial) const {
    try {
      return grading::step_record_of(trial.record).verdict == judge::Verdict::grader_error;
    } catch (const std::runtime_error &e) {
      trial.record =
          grading::to_json(grading::our_failure(find_step(grader_.course.assignment, trial.step), e.what()));
      return true;
    }
  }
  const std::string &name() const { return grader_.course.assignment.name; }

  /// New workers would run by other conditions than the old ones: 'serve' starts this process again.
  void end_if_the_course_has_changed() const {
    try {
      const course::Assignment now = without_hidden_cases(course::read_assignment(grader_.course.folder));
      batch::ClassSetup setup = grader_.setup();
      setup.assignment = &now;
      if (batch::fingerprint_of(setup) != state_.fingerprint) ::raise(SIGTERM);
    } catch (const std::exception &) {  // somebody is editing a file
    }
  }

  void say() {
    state_.seen = std::time(nullptr);
    trials_.announce(name(), state_);
    said_ = std::chrono::steady_clock::now();
  }

  std::optional<batch::Request> next() {
    std::optional<Trial> trial = trials_.claim(name(), std::time(nullptr));
    while (trial && !grader_.course.assignment.find_step(trial->step)) {  // the course has changed since
      trial->why = "the course has no such step any more";
      trials_.finish(*trial, "");
      trial = trials_.claim(name(), std::time(nullptr));
    }
    if (!trial) return std::nullopt;
    const std::string id = std::to_string(trial->id);
    const std::string kind = trial->kind == TrialKind::debug    ? "debug"
                             : trial->kind == TrialKind::layout ? "layout"
                                                                : "grade";
    batch::Request request{id, kind + "\n" + trial->step + "\n" + id + "\n" + trials_.bytes_of(*trial)};
    running_.emplace(id, std::move(*trial));
    return request;
  }

  void take(const batch::Reply &reply) {
    const auto found = running_.find(reply.request);
    if (found == running_.end()) return;
    Trial trial = std::move(found->second);
    running_.erase(found);
    trial.seconds = std::max(reply.seconds, 0.001);
    if (reply.answered) {
      const auto answer = nlohmann::json::parse(reply.text, nullptr, false);
      const auto text = [&answer](const char *key) {
        return answer.is_object() && answer.contains(key) ? answer[key].get<std::string>() : std::string();
      };
      trial.record = text("record"), trial.page = text("page"), trial.why = text("why");
    } else if (trial.kind != TrialKind::grade) {
      trial.why = "the process that ran it ended: " + reply.text;
    } else {
      const course::Step &step = find_step(grader_.course.assignment, trial.step);
      trial.record =
          grading::to_json(grading::our_failure(step, "the process that ran it ended: " + reply.text));
    }
    // What failed on our side, or was stopped early, is run again when somebody asks again.
    const bool ours =
        !reply.answered || (trial.kind == TrialKind::grade && (failed(trial) || !trial.why.empty()));
    trials_.finish(trial, ours ? "" : state_.fingerprint);
  }

  void note(const std::string &request, const std::string &doing) {
    const auto found = running_.find(request);
    const auto now = std::chrono::steady_clock::now();
    if (found == running_.end() || now - noted_ < phases_at_most_every) return;
    noted_ = now;
    trials_.phase(found->second.id, doing);
  }

  Trials &trials_;
  const gradebook::ClassGrader &grader_;
  const Interruption &interruption_;
  TrialRunner state_;
  batch::WorkerOptions options_;
  std::map<std::string, Trial> running_;
  std::chrono::steady_clock::time_point said_, noted_;
};

}  // namespace

std::vector<std::string> trial_words_of(const fs::path &folder, const gradebook::GradingWords &w) {
  return {trial_queue_command, folder.string(),        w.assignment,
          w.toolchain,         std::to_string(w.jobs), w.no_sandbox ? "no-sandbox" : "sandbox"};
}

course::Assignment without_hidden_cases(course::Assignment a) {
  for (course::Step &step : a.steps)
    std::erase_if(step.cases,
                  [](const course::Case &c) { return c.visibility == course::Visibility::hidden; });
  a.has_hidden_cases = false;
  return a;
}

int trial_queue(const std::vector<std::string> &words) {
  if (words.size() != 5) throw UsageError("gradebook itself starts these processes, for 'gradebook serve'");
  ServiceStore store(words[0], ServiceStore::Access::open);
  Trials trials(store);
  const Interruption interruption;
  gradebook::GradingWords how;
  how.assignment = words[1];
  how.device = "sim";
  how.toolchain = words[2];
  how.jobs = std::stoi(words[3]);
  how.no_sandbox = words[4] == "no-sandbox";
  try {
    const fs::path own = fs::path(words[0]) / "workspace" / how.assignment;
    fs::create_directories(own);
    batch::ClassLock lock(own);
    trials.put_back(how.assignment);
    gradebook::ClassCourse course = gradebook::open_class_course(how.assignment);
    course.assignment = without_hidden_cases(std::move(course.assignment));
    const std::uint64_t seed = grading_options({}, course.assignment).seed;
    const gradebook::ClassGrader grader = gradebook::look_here(std::move(course), how, seed);
    gradebook::demand_sandbox(*grader.machine->sandbox, how.no_sandbox);
    TrialQueue(words[0], trials, lock, grader, interruption).run();
  } catch (const std::exception &e) {
    trials.announce(how.assignment, {false, e.what(), "", "", std::time(nullptr)});
    throw;
  }
  return 0;
}

}  // namespace warpgrade::service
