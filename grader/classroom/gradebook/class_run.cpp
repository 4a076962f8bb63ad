#include "gradebook/class_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "base/text.hpp"
#include "batch/workers.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_policy.hpp"
#include "gradebook/class_slurm.hpp"
#include "gradebook/damage.hpp"
#include "gradebook/gpus.hpp"
#include "gradebook/outdated.hpp"
#include "gradebook/processes.hpp"
#include "gradebook/progress.hpp"
#include "gradebook/shared_files.hpp"
#include "gradebook/variant_rules.hpp"
#include "grading/record_json.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

constexpr auto grades_every = std::chrono::seconds(10);
constexpr std::size_t most_failures = 3;  ///< that the end of a run names

int cores() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string file_of(const course::Assignment &a, const std::string &step) {
  return find_step(a, step).path().string();
}

/// The one that writes: results into the store, reports and grades.csv into the folder, lines for people.
class ResultWriter {
 public:
  ResultWriter(batch::Store &store, const ClassGrader &grader, Progress &progress,
               const std::vector<batch::Task> &pending)
      : store_(store),
        rules_(rules_of(grader.course, grader.thresholds)),
        a_(grader.course.assignment),
        progress_(progress) {
    for (const batch::Task &task : pending) {
      std::vector<std::string> &whose = whose_[{task.step, task.file}];
      whose = store.wanted_for(task);
      if (whose.empty()) whose = store.students_with(file_of(a_, task.step), task.file);
      for (const std::string &student : whose) ++files_left_[student];
    }
  }

  /// A record, or why there is none.
  void take(const batch::Task &task, bool answered, const std::string &text, double seconds) {
    const grading::StepRecord record = record_in(find_step(a_, task.step), answered, text);
    std::vector<batch::Scored> complete;
    store_.keep(task, record, seconds, [&] {
      for (const std::string &student : whose_[{task.step, task.file}]) {
        if (--files_left_[student] > 0) continue;
        batch::Scored scored = batch::score_student(store_, rules_, student);
        if (!scored.complete) continue;  // another step's result is damaged
        store_.keep_score(scored.row);
        complete.push_back(std::move(scored));
      }
    });
    progress_.count();
    for (const batch::Scored &scored : complete) {
      write_report(store_, scored);
      progress_.say(fmt::format("{}: {:g}/{:g}{}", scored.student.id, scored.row.points,
                                scored.row.max_points,
                                scored.row.status == batch::graded ? "" : " (" + scored.row.status + ")"));
    }
    changed_ = true;
  }

  void now_and_then() {
    progress_.draw();
    const auto now = std::chrono::steady_clock::now();
    if (!changed_ || now - written_ < grades_every) return;
    write_grades(store_, a_);
    written_ = now;
    changed_ = false;
  }

 private:
  batch::Store &store_;
  const batch::RulesOf rules_;
  const course::Assignment &a_;
  Progress &progress_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>>
      whose_;                                      ///< for whom, by step and file
  std::map<std::string, std::size_t> files_left_;  ///< to be graded, by student
  bool changed_ = false;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

const char *const process_ended = "the process that graded it ended: ";

/// What is done with each answer, and between them.
using Take = std::function<void(const batch::Task &, bool answered, const std::string &text, double seconds)>;

bool grade_here(batch::Store &store, const ClassGrader &grader, const std::vector<batch::Task> &pending,
                const ConditionsOfTask &conditions, const Take &take_answer,
                const std::function<void()> &meanwhile, const Interruption &interruption) {
  batch::WorkerOptions options = worker_options(grader, pending.size(), cores());
  options.started = [&store](pid_t process) { store.lock().note(process); };
  batch::Workers workers(std::move(options));
  workers.meanwhile = meanwhile;
  std::size_t next = 0;
  const auto next_request = [&]() -> std::optional<batch::Request> {
    if (next == pending.size()) return std::nullopt;
    const batch::Task &task = pending[next];
    return batch::Request{std::to_string(next++),
                          task.step + "\n" + told_of(conditions(task), store.file(task.file).value())};
  };
  const auto take = [&](const batch::Reply &reply) {
    take_answer(pending.at(std::stoul(reply.request)), reply.answered,
                reply.answered ? reply.text : process_ended + reply.text, reply.seconds);
  };
  return workers.run(next_request, take, interruption.descriptor());
}

bool grade_on_cluster(const batch::Store &store, const ClassGrader &grader,
                      const std::vector<batch::Task> &pending, const ConditionsOfTask &conditions,
                      const Take &take_answer, const std::function<void()> &meanwhile, Progress &progress,
                      const Interruption &interruption) {
  const auto take = [&](const batch::TaskOutcome &outcome) {
    take_answer(pending.at(outcome.task), outcome.answered,
                outcome.answered || outcome.lost ? outcome.text : process_ended + outcome.text,
                outcome.seconds);
  };
  return run_on_slurm(
      store, grader, pending, conditions, take, [&](const std::string &line) { progress.say(line); },
      [&](batch::SlurmRun &) { meanwhile(); }, interruption);
}

bool grade_files(batch::Store &store, const ClassGrader &grader, const std::vector<batch::Task> &tasks,
                 const ConditionsOfTask &conditions, const Take &take_answer,
                 const std::function<void()> &meanwhile, Progress &progress,
                 const Interruption &interruption) {
  const Take take = [&](const batch::Task &task, bool answered, const std::string &text, double seconds) {
    if (!answered && variant_has_changed(grader, task.step, store.variant_of(task.file), conditions(task)))
      throw UsageError(fmt::format("the files of {} have changed since this run began: start it again",
                                   grader.course.assignment.name));
    take_answer(task, answered, text, seconds);
  };
  return grader.machine
             ? grade_here(store, grader, tasks, conditions, take, meanwhile, interruption)
             : grade_on_cluster(store, grader, tasks, conditions, take, meanwhile, progress, interruption);
}

}  // namespace

batch::WorkerOptions worker_options(const ClassGrader &grader, std::size_t tasks, int machine_cores) {
  batch::WorkerOptions options;
  options.environment = {fmt::format("{}={}", seed_variable, grader.seed)};
  const std::vector<gpu::DeviceInfo> &gpus = grader.gpus;
  // With fewer workers than GPUs some of these would lie idle.
  const int jobs =
      grader.words.jobs > 0 ? grader.words.jobs : std::max(machine_cores, static_cast<int>(gpus.size()));
  // Each its own first; the others are for when that does not come back.
  const auto gpus_from = [&gpus](std::size_t first) {
    std::string addresses;
    for (std::size_t i = 0; i < gpus.size(); ++i)
      addresses += (i == 0 ? "" : ",") + gpus[(first + i) % gpus.size()].pci_bus_id;
    return addresses;
  };
  const auto workers = std::min<std::size_t>(static_cast<std::size_t>(jobs), std::max<std::size_t>(tasks, 1));
  const int threads = std::max(1, machine_cores / static_cast<int>(workers));
  for (std::size_t i = 0; i < workers; ++i) {
    std::vector<std::string> words = {worker_command,
                                      grader.course.root.string(),
                                      grader.course.assignment.name,
                                      gpus.empty() ? "sim" : gpus_from(i),
                                      std::to_string(threads),
                                      batch::fingerprint_of(grader.setup()),
                                      grader.words.toolchain};
    if (grader.words.no_sandbox) words.emplace_back("--no-sandbox");
    options.arguments.push_back(std::move(words));
  }
  return options;
}

ClassCourse open_class_course(const std::string &name) {
  ClassCourse course;
  course.root = find_root();
  const std::vector<std::string> names = assignment_names(course.root);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(
        fmt::format("there is no assignment '{}' (there are: {})", name, fmt::join(names, ", ")));
  course.folder = fs::relative(course.root / "assignments" / name);
  course.assignment = course::read_assignment(course.folder);
  course.without_gpu_now = course.assignment.without_gpu;
  return course;
}

ClassCourse course_of(const batch::Store &store) {
  const std::optional<batch::ClassInfo> info = store.info();
  if (!info)
    throw UsageError(
        fmt::format("{} contains no class yet: 'gradebook run' makes one", store.folder().string()));
  ClassCourse course = open_class_course(info->assignment);
  count_as_before(store, course);
  return course;
}

batch::ClassSetup ClassGrader::setup() const {
  return {&course.assignment,
          &thresholds,
          course.folder,
          course.root / "starter" / course.assignment.name,
          seed,
          device,
          front_end,
          WARPGRADE_VERSION,
          sandbox};
}

void demand_sandbox(const sandbox::Sandbox &sandbox, bool no_sandbox) {
  if (sandbox.mode() != sandbox::Sandbox::Mode::none || no_sandbox) return;
  throw UsageError(
      fmt::format("grading a class needs a sandbox, and none works here: {}\nWithout one, a submission could "
                  "read the hidden cases and other submissions. --no-sandbox grades anyway.",
                  sandbox.describe()));
}

ClassGrader look_here(ClassCourse course, const GradingWords &words, std::uint64_t seed) {
  ClassGrader grader;
  grader.seed = seed;
  const DeviceChoice choice = words.device == "gpu"   ? DeviceChoice::gpu
                              : words.device == "sim" ? DeviceChoice::simulator
                                                      : DeviceChoice::automatic;
  grader.machine = look_at_machine(course.root, course.assignment, choice, !words.no_sandbox,
                                   toolchain_named(words.toolchain));
  if (!words.gpus.empty() && !grader.machine->environment.gpu)
    throw UsageError(fmt::format("--gpus {}: no GPU is used here: {}", words.gpus,
                                 grader.machine->environment.why_no_gpu));
  if (grader.machine->environment.gpu) {
    grader.gpus = gpus_in_use(pick_gpus(grader.machine->gpus, words.gpus));
    use_gpu(*grader.machine, course.root, course.assignment, grader.gpus.front());
  }
  grader.device = grading::Grader(course.assignment, grader.machine->environment, {}).device();
  grader.front_end = grader.machine->front_end->name();
  grader.sandbox = grader.machine->sandbox->describe();
  grader.thresholds = grader.machine->thresholds;
  grader.course = std::move(course);
  grader.words = words;
  return grader;
}

std::optional<ClassGrader> prepare(const batch::Store &store, ClassCourse course, const GradingWords &words,
                                   const Interruption &interruption) {
  settle_policy(store, course, words.without_gpu);
  const std::optional<batch::ClassInfo> info = store.info();
  const std::uint64_t seed = words.seed ? *words.seed : info ? info->seed : fresh_seed();
  std::optional<ClassGrader> grader;
  if (words.executor == "slurm") {
    grader = look_at_a_node(store, std::move(course), words, seed, interruption);
  } else if (!words.slurm.empty()) {
    throw UsageError("--slurm is for --executor slurm");
  } else {
    grader = look_here(std::move(course), words, seed);
    demand_sandbox(*grader->machine->sandbox, words.no_sandbox);
  }
  if (!grader) return grader;
  const grading::DeviceRecord before = batch::device_of(store, grader->course.assignment);
  const grading::DeviceRecord now = grader->device;
  if (words.device == "auto" && !before.name.empty() && before.name != now.name)
    throw UsageError(fmt::format(
        "this class was started on {}, but would be graded on {} here{}. To grade all of it again here, "
        "say --device {}",
        before.name, now.name, now.gpu ? "" : " (" + now.why_no_gpu + ")", now.gpu ? "gpu" : "sim"));
  demand_one_kind_of_speed(grader->course.assignment, before, now, words.without_gpu);
  return grader;
}

void announce(batch::Store &store, const ClassGrader &grader) {
  const course::Assignment &a = grader.course.assignment;
  store.begin({a.name, grader.seed, a.without_gpu});
  const ConditionsOfStep now = conditions_of(grader);
  // Asked first: a result on another device no longer counts once this one grades.
  for (const OutdatedStep &o : outdated_steps(store, a, now))
    fmt::print(stderr, "{}: {} changed since {} graded, so {} graded again\n", o.step, o.difference,
               students_were(o.students.size()), o.students.size() == 1 ? "it is" : "these are");
  for (const course::Step &step : a.steps)
    if (!step.beyond) store.grade_with(now(step, ""));
  announce_variants(store, grader);
}

void announce_variants(batch::Store &store, const ClassGrader &grader, bool readable_alone) {
  const ConditionsOfStep now = conditions_of(grader);
  for (const std::string &variant : store.variants()) try {
      for (const course::Step &step : grader.course.assignment.steps)
        if (!step.beyond) store.grade_with(now(step, variant));
    } catch (const variants::UnreadableVariant &) {
      if (!readable_alone) throw;
    }
}

namespace {

/// What a machine failed on that was short of something is graded again whenever anything is.
void want_failures_of_machines_again(batch::Store &store, const ClassGrader &grader,
                                     const batch::Store::StepFiles &steps) {
  std::vector<batch::Task> again;
  for (const batch::Task &task : store.with_verdict(steps, judge::Verdict::grader_error)) {
    const std::vector<std::string> whose = store.students_with_verdict(task, judge::Verdict::grader_error);
    const auto record = store.result_that_counts(whose.at(0), task);
    if (!record || !record->try_again) continue;
    store.want_again({task}, whose);
    again.push_back(task);
  }
  if (again.empty()) return;
  if (!grader.machine) forget_slurm_results(store, grader, again);
  fmt::print(stderr, "{} file{} that a machine had failed on {} graded again\n", again.size(),
             again.size() == 1 ? "" : "s", again.size() == 1 ? "is" : "are");
}

/// `done`: files of the class that are graded already.
bool grade_tasks(batch::Store &store, const ClassGrader &grader, std::vector<batch::Task> tasks,
                 std::size_t done, const Interruption &interruption) {
  // conclude_class() names those that are damaged.
  std::erase_if(tasks, [&](const batch::Task &task) { return !store.file(task.file); });
  if (tasks.empty()) return true;
  Progress progress(done, done + tasks.size());
  ResultWriter writer(store, grader, progress, tasks);
  return grade_files(
      store, grader, tasks, conditions_that_count(store),
      [&](const batch::Task &task, bool answered, const std::string &text, double seconds) {
        writer.take(task, answered, text, seconds);
      },
      [&] { writer.now_and_then(); }, progress, interruption);
}

}  // namespace

grading::StepRecord record_in(const course::Step &step, bool answered, const std::string &text) {
  try {
    return answered ? grading::step_record_of(text) : grading::our_failure(step, text);
  } catch (const std::runtime_error &e) {
    return grading::our_failure(step, e.what());
  }
}

bool grade_again(batch::Store &store, const ClassGrader &grader, const std::vector<WantedAgain> &wanted,
                 const Interruption &interruption) {
  const course::Assignment &a = grader.course.assignment;
  const ConditionsOfStep now = conditions_of(grader);
  std::set<std::string> steps;
  std::vector<batch::Task> tasks;
  for (const WantedAgain &one : wanted) {
    steps.insert(one.task.step);
    tasks.push_back(one.task);
  }
  std::vector<std::string> variants = store.variants();
  variants.emplace_back();  // and the files as they are
  store.change_only({}, batch::steps_of(a), [&] {
    for (const std::string &step : steps)
      for (const std::string &variant : variants) store.grade_with(now(find_step(a, step), variant));
  });
  if (!grader.machine) forget_slurm_results(store, grader, tasks);
  for (const WantedAgain &one : wanted) store.want_again({one.task}, one.whom);
  const bool finished = grade_tasks(store, grader, tasks, 0, interruption);
  write_grades(store, a);
  return finished;
}

bool grade_preview(batch::Store &store, const ClassGrader &grader, const Interruption &interruption) {
  std::vector<batch::Task> tasks = store.to_preview();
  std::erase_if(tasks, [&](const batch::Task &task) { return !store.file(task.file); });
  if (tasks.empty()) return true;
  Progress progress(0, tasks.size());
  return grade_files(
      store, grader, tasks, conditions_of_preview(store),
      [&](const batch::Task &task, bool answered, const std::string &text, double seconds) {
        store.keep_previewed(task, record_in(find_step(grader.course.assignment, task.step), answered, text),
                             seconds);
        progress.count();
      },
      [&] { progress.draw(); }, progress, interruption);
}

bool grade_pending(batch::Store &store, const ClassGrader &grader, const Interruption &interruption) {
  const course::Assignment &a = grader.course.assignment;
  const batch::Store::StepFiles steps = batch::steps_of(a);
  store.follow_present_conditions();
  want_failures_of_machines_again(store, grader, steps);
  std::vector<batch::Task> pending = store.pending(steps);
  // A regrade of some that was interrupted: others with the file need a result under these conditions too.
  for (const batch::Task &task : pending)
    if (!store.wanted_for(task).empty() && !store.result(task)) store.want_again({task});
  const std::size_t total = store.tasks(steps), done = total - pending.size();
  if (done > 0) fmt::print(stderr, "{} of {} files are graded already\n", done, total);
  const bool finished = grade_tasks(store, grader, std::move(pending), done, interruption);
  const bool written = write_all(store, a, rules_of(grader.course, grader.thresholds),
                                 [&] { return interruption.signal().has_value(); });
  return finished && written;
}

std::string failure_of(const batch::Store &store, const batch::Task &task) {
  const auto who = store.students_with_verdict(task, judge::Verdict::grader_error);
  const auto record = who.empty() ? std::nullopt : store.result_that_counts(who.front(), task);
  return fmt::format("{} of {}: {}", task.step, for_terminal(fmt::format("{}", fmt::join(who, ", "))),
                     record ? for_terminal(record->reason) : "the stored result is damaged");
}

int conclude_class(const batch::Store &store, const ClassCourse &course) {
  std::map<std::string, std::size_t> by_status;
  std::size_t students = 0;
  for (const std::string &student : store.students()) {
    const auto row = store.score(student);
    ++by_status[row ? row->status : batch::pending];
    ++students;
  }
  fmt::print("{} student{}", students, students == 1 ? "" : "s");
  for (const auto &[status, count] : by_status) fmt::print(", {} {}", count, status);
  fmt::print("\ngrades: {}\nreports: {}\n", (store.folder() / "grades.csv").string(),
             (store.folder() / "reports").string());
  if (const std::size_t shared = shared_files(store, course).size(); shared > 0)
    fmt::print("{} of the files {} handed in by several students: 'gradebook status {}' names them.\n",
               shared, shared == 1 ? "was" : "were", shell_word(store.folder().string()));
  const auto failed = store.with_verdict(batch::steps_of(course.assignment), judge::Verdict::grader_error);
  if (failed.empty()) return conclude_with_damage(store, course.assignment, full_score);
  fmt::print("The grader failed on {} file{}, which costs no points:\n", failed.size(),
             failed.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(failed.size(), most_failures); ++i)
    fmt::print("  {}\n", failure_of(store, failed[i]));
  if (failed.size() > most_failures)
    fmt::print("  and {} more: 'gradebook status {}' names them\n", failed.size() - most_failures,
               shell_word(store.folder().string()));
  fmt::print("'gradebook regrade {} --failed' tries again.\n", shell_word(store.folder().string()));
  return conclude_with_damage(store, course.assignment, grader_failed);
}

}  // namespace warpgrade::gradebook
