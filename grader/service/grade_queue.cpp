#include "service/grade_queue.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <map>
#include <set>
#include <thread>

#include "base/text.hpp"
#include "batch/conditions.hpp"
#include "batch/workers.hpp"
#include "gpu/retired.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_slurm.hpp"
#include "gradebook/outdated.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"
#include "service/class_book.hpp"
#include "service/own_variants.hpp"
#include "setup/interruption.hpp"
#include "setup/selection.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t number_of_words = 10;
constexpr auto announce_every = std::chrono::seconds(20);
constexpr auto grades_at_most_every = std::chrono::seconds(10);
constexpr auto notes_at_most_every = std::chrono::milliseconds(400);  // each is a write to the disk
constexpr auto look_at_gpus_every = std::chrono::seconds(1);
constexpr auto look_at_held_every = std::chrono::seconds(5);
constexpr auto look_at_preview_every = std::chrono::seconds(1);
const std::string previews = "preview ";  // before the name of a request
constexpr int most_failures = 3;          // of the grader on a file, before its student hears of it
// Files that wait in a cluster's queue, where later ones can no longer overtake them: as many as run, so that no
// node is idle until it is looked at again, and at least so many.
constexpr std::size_t least_ahead_on_a_cluster = 16;
constexpr std::size_t tasks_for_those_ahead = 8;  // among which they are divided: a node may run several

struct QueueOrders {
  fs::path folder;
  gradebook::GradingWords words;
};

QueueOrders orders_from(const std::vector<std::string> &w) {
  if (w.size() != number_of_words)
    throw UsageError("gradebook itself starts these processes, for 'gradebook serve'");
  QueueOrders o{w[0], {}};
  o.words.assignment = w[1];
  o.words.device = w[2];
  o.words.toolchain = w[3];
  o.words.gpus = w[4];
  o.words.executor = w[5];
  o.words.slurm = w[6];
  o.words.jobs = std::stoi(w[7]);
  o.words.no_sandbox = w[8] == "no-sandbox";
  if (!w[9].empty()) o.words.seed = std::stoull(w[9]);
  return o;
}

/// Grades the queue of one assignment with what `grader` found.
class QueueGrader {
 public:
  QueueGrader(batch::Store &store, Jobs &jobs, Orders &orders, Exams &exams,
              const gradebook::ClassGrader &grader, const Policy &policy, const Interruption &interruption)
      : store_(store),
        jobs_(jobs),
        orders_(orders),
        exams_(exams),
        grader_(grader),
        interruption_(interruption),
        policy_(policy),
        fingerprint_(batch::fingerprint_of(grader.setup())),
        conditions_(gradebook::conditions_that_count(store)),
        book_(store, jobs, grader, policy_, fingerprint_) {
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    options_ = gradebook::worker_options(grader, 1000, cores);
    options_.started = [this](pid_t process) { store_.lock().note(process); };
    options_.more_may_come = true;
    options_.noted = [this](const std::string &request, const std::string &words) { note(request, words); };
    slots_ = grader.machine ? static_cast<int>(options_.arguments.size()) : slots_of_a_cluster;
  }

  void run() {
    grade_what_has_no_result();
    say_ready();
    if (grader_.machine) {
      batch::Workers workers(options_);
      workers.meanwhile = [this] { now_and_then(); };
      workers.run([this] { return next(); }, [this](const batch::Reply &reply) { take(reply); },
                  interruption_.descriptor());
    } else {
      std::vector<batch::Task> tasks = under_way_before();
      while (!interruption_.signal()) grade_on_cluster(std::exchange(tasks, {}));
    }
    if (book_.changed) gradebook::write_grades(store_, grader_.course.assignment);
  }

 private:
  /// Files that count and have no result. One under earlier conditions counts until somebody grades it again.
  void grade_what_has_no_result() {
    book_.use_present_conditions();
    jobs_.put_back(name());
    book_.take_in_lost();
    for (const batch::Task &task : store_.without_result(batch::steps_of(grader_.course.assignment)))
      if (!book_.why_file_is_held(task.file).empty())
        continue;  // its submission waits in the queue
      else if (store_.result(task) || !book_.keep_known(task))
        grade_again(task, store_.wanted_for(task));
    book_.renew_preview();
    if (const std::size_t scores =
            book_.compute_points([this] { return interruption_.signal().has_value(); });
        scores > 0)
      orders_.note(
          {std::time(nullptr), "the service", "points computed again", name(),
           fmt::format("at the start of grading, by the course's files as they are now: {} score{} changed",
                       scores, scores == 1 ? "" : "s")});
    book_.agree();
  }

  /// Its present result counts until there is another. whom: for these alone; empty: for everybody.
  void grade_again(const batch::Task &task, const std::vector<std::string> &whom) {
    again_.insert({task.step, task.file});
    if (whom.empty()) jobs_.queue_again(name(), task.step, task.file);
    for (const std::string &student : whom) jobs_.queue_again(name(), task.step, task.file, student);
  }

  /// False where this process ends first, so that its successor grades with the files of the course as they are now.
  bool begin_preview(const Order &o) {
    if (const std::string why = book_.why_not_the_files_of_now(); !why.empty()) {
      note_regrading(o.reason, "refused", why);
      return true;
    }
    if (book_.course_changed()) return false;
    const bool everybody = o.step == "*";
    try {
      book_.begin_preview(everybody ? store_.students() : std::vector<std::string>{o.student}, o.reason,
                          !everybody);
    } catch (const UsageError &e) {
      note_regrading(o.reason, "refused", e.what());
    }
    to_preview_.clear();
    return true;
  }

  void note_regrading(const std::string &actor, const std::string &what, const std::string &detail) {
    orders_.note({std::time(nullptr), actor, "regrade " + what, name(), detail});
  }

  /// What a preview runs while nobody waits.
  std::optional<batch::Task> next_to_preview() {
    if (jobs_.count(State::running) + static_cast<int>(previewing_.size()) >= slots_) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    if (to_preview_.empty()) {
      if (now - looked_at_preview_ < look_at_preview_every) return std::nullopt;
      looked_at_preview_ = now;
      to_preview_ = store_.to_preview();
      std::erase_if(to_preview_, [this](const batch::Task &task) {
        return previewing_.contains({task.step, task.file}) || !store_.file(task.file);
      });
      std::reverse(to_preview_.begin(), to_preview_.end());
    }
    if (to_preview_.empty()) return std::nullopt;
    batch::Task task = std::move(to_preview_.back());
    to_preview_.pop_back();
    previewing_.insert({task.step, task.file});
    return task;
  }

  void keep_previewed(const batch::Task &task, bool answered, const std::string &text, double seconds) {
    store_.keep_previewed(
        task, gradebook::record_in(find_step(grader_.course.assignment, task.step), answered, text), seconds);
    previewing_.erase({task.step, task.file});
  }

  void carry_out_orders() {
    for (const Order &o : orders_.open(name())) {
      if (o.kind == Order::Kind::regrade) {
        const std::vector<batch::Task> tasks = book_.tasks_of(o.student);
        store_.want_again(tasks, {o.student});
        for (const batch::Task &task : tasks) grade_again(task, {o.student});
      } else if (o.kind == Order::Kind::preview) {
        if (!begin_preview(o)) {
          ::raise(SIGTERM);
          return;
        }
      } else if (o.kind == Order::Kind::apply || o.kind == Order::Kind::discard ||
                 o.kind == Order::Kind::undo) {
        const AuditEntry came_of_it = book_.decide(o);
        to_preview_.clear();
        orders_.done(o.id, came_of_it);
        continue;
      } else if (o.kind == Order::Kind::recount) {
        count_under_new_policy();
      } else if (o.kind == Order::Kind::rescore) {
        const gradebook::ClassCourse &c = grader_.course;
        book_.rescore(gradebook::thresholds_of(store_, c.folder, c.assignment));
        orders_.done(o.id);
        // How long something is measured depends on thresholds too: 'serve' starts this process again.
        ::raise(SIGTERM);
        return;
      } else {
        book_.carry_out(o);
      }
      orders_.done(o.id);
    }
  }

  void count_exams() {
    for (const Sitting &sitting : exams_.to_count(name(), std::time(nullptr))) {
      if (book_.keep_exam(sitting)) exams_.counted(sitting.id);
    }
  }

  void count_under_new_policy() {
    const fs::path file = store_.folder().parent_path() / policy_file_name;
    policy_ = read_policies(file, assignment_names(grader_.course.root)).at(name());
    for (const std::string &student : store_.students()) book_.recount(student);
  }

  void say_ready() {
    jobs_.announce({name(), out_.empty(), out_, json::write(grader_.device).dump(), fingerprint_, slots_,
                    std::time(nullptr)});
    announced_ = std::chrono::steady_clock::now();
  }

  /// Why no GPU that measures can be used now; empty: one can, or none is needed.
  std::string why_no_gpu() const {
    std::string why;
    for (const gpu::DeviceInfo &gpu : grader_.gpus) {
      why = grader_.machine ? gpu::why_retired(grader_.machine->environment.lock_directory, gpu) : "";
      if (why.empty()) break;
    }
    return why;
  }

  /// While every GPU is out, everything waits in the queue.
  bool waits_for_gpu() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_at_gpus_ < look_at_gpus_every) return !out_.empty();
    looked_at_gpus_ = now;
    std::string why = why_no_gpu();
    if (why != out_) {
      out_ = std::move(why);
      fmt::print(stderr, "{}: {}\n", name(),
                 out_.empty() ? "a GPU is available again; grading continues" : "the queue waits: " + out_);
      say_ready();
    }
    return !out_.empty();
  }

  void now_and_then() {
    book_.take_in_new();
    carry_out_orders();
    count_exams();
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_at_held_ > look_at_held_every) {
      looked_at_held_ = now;
      // 'serve' starts this process again, which then grades what waits.
      if (book_.mended()) end();
    }
    if (book_.outdated) end();
    if (now - announced_ > announce_every) say_ready();
    if (book_.changed && now - written_ > grades_at_most_every) {
      gradebook::write_grades(store_, grader_.course.assignment);
      book_.changed = false;
      written_ = now;
    }
  }

  /// A part that needs a run; those that need none are done on the way.
  std::optional<Work> next_work() {
    for (;;) {
      std::optional<Work> work = jobs_.claim(name(), slots_, std::time(nullptr));
      if (!work || needs_run(*work)) return work;
    }
  }

  /// 'serve' starts this process again, with the files of the course as they are now.
  void end() {
    ending_ = true;
    ::raise(SIGTERM);
  }

  /// Of a part that was claimed; otherwise it is done, held, or waits for a run of the same file.
  bool needs_run(const Work &work) {
    book_.take_in_new();  // its file is in the store before its result
    if (const std::string why = book_.why_file_is_held(work.file); !why.empty()) {
      jobs_.hold(work.part, why);
      return false;
    }
    const batch::Task task{work.step, work.file};
    if (const auto known = store_.result(task);
        known && known->verdict != judge::Verdict::grader_error && !again_.contains({task.step, task.file})) {
      store_.follow(work.student, task);
      finish(work, *known, 0);
      return false;
    }
    std::vector<Work> &running = in_flight_[{task.step, task.file}];  // somebody else's may be the same
    running.push_back(work);
    return running.size() == 1;
  }

  std::optional<batch::Request> next() {
    if (ending_ || waits_for_gpu()) return std::nullopt;
    if (const std::optional<Work> work = next_work())
      return batch::Request{work->step + " " + work->file, request_text(*work)};
    const std::optional<batch::Task> task = next_to_preview();
    if (!task) return std::nullopt;
    return batch::Request{
        previews + task->step + " " + task->file,
        task->step + "\n" + gradebook::told_of(conditions_(*task), store_.file(task->file).value())};
  }

  std::string request_text(const Work &work) {
    return work.step + "\n" +
           gradebook::told_of(conditions_({work.step, work.file}), jobs_.content(work.file));
  }

  void take(const batch::Reply &reply) {
    const bool previewed = reply.request.starts_with(previews);
    const std::string request = reply.request.substr(previewed ? previews.size() : 0);
    const std::size_t blank = request.find(' ');
    const batch::Task task{request.substr(0, blank), request.substr(blank + 1)};
    const std::string text = reply.answered ? reply.text : "the process that graded it ended: " + reply.text;
    if (!reply.answered && lets_wait(task)) return;
    if (previewed)
      keep_previewed(task, reply.answered, text, reply.seconds);
    else
      keep(task, reply.answered, text, reply.seconds);
  }

  /// No worker answered. True where that is due to a variant that has changed, or cannot be read any more.
  bool lets_wait(const batch::Task &task) {
    const std::string conditions = conditions_(task);
    if (conditions.empty()) return false;
    const bool ends = book_.variant_changed(task, conditions);
    const std::string why = book_.why_file_is_held(task.file);
    if (!ends && why.empty()) return false;
    for (const Work &work : in_flight_[{task.step, task.file}])
      ends ? jobs_.release(work.part) : jobs_.hold(work.part, why);
    forget(task);
    previewing_.erase({task.step, task.file});
    if (ends) end();
    return true;
  }

  void note(const std::string &request, const std::string &words) {
    const std::size_t blank = request.find(' ');
    const auto running = in_flight_.find({request.substr(0, blank), request.substr(blank + 1)});
    const auto now = std::chrono::steady_clock::now();
    if (running == in_flight_.end() || now - noted_[request] < notes_at_most_every) return;
    noted_[request] = now;
    for (const Work &work : running->second) jobs_.phase(work.part, words);
  }

  void keep(const batch::Task &task, bool answered, const std::string &text, double seconds) {
    const course::Step &step = find_step(grader_.course.assignment, task.step);
    const grading::StepRecord record = gradebook::record_in(step, answered, text);
    // What failed may have been the machine's doing: nobody has to submit again because of it. That no GPU is
    // left never was the file's. Other shortages count as failures, since a file can forge their signs.
    const bool no_gpu = record.try_again && !why_no_gpu().empty();
    if (record.verdict == judge::Verdict::grader_error &&
        (no_gpu || ++failures_[{task.step, task.file}] < most_failures)) {
      for (const Work &work : in_flight_[{task.step, task.file}]) jobs_.release(work.part);
      forget(task);
      return;
    }
    failures_.erase({task.step, task.file});
    std::vector<std::string> whom;
    for (const Work &work : in_flight_[{task.step, task.file}]) whom.push_back(work.student);
    store_.keep(task, record, seconds, {}, whom);
    again_.erase({task.step, task.file});
    for (const Work &work : in_flight_[{task.step, task.file}]) finish(work, record, seconds);
    forget(task);
    for (const std::string &student : store_.students_with(step.path().string(), task.file))
      book_.recount(student);
  }

  void forget(const batch::Task &task) {
    in_flight_.erase({task.step, task.file});
    noted_.erase(task.step + " " + task.file);
  }

  void finish(const Work &work, const grading::StepRecord &record, double seconds) {
    // What the grader failed on has no conditions: submitted again, it is graded again.
    const bool ours = record.verdict == judge::Verdict::grader_error;
    jobs_.finish(work.part, grading::to_json(record), book_.points_of(record, work.file), seconds,
                 ours ? "" : fingerprint_);
    book_.recount(work.student);
  }

  /// What jobs of an earlier process still grade, if somebody waits for it.
  std::vector<batch::Task> under_way_before() {
    std::vector<batch::Task> tasks;
    for (const batch::Task &task : gradebook::under_way_on_slurm(store_, grader_))
      for (const Work &work : jobs_.claim_file(name(), task.step, task.file))
        if (needs_run(work)) tasks.push_back(task);
    return tasks;
  }

  std::vector<batch::Task> next_tasks(std::size_t most) {
    std::vector<batch::Task> tasks;
    while (tasks.size() < most)
      if (const std::optional<Work> work = next_work())
        tasks.push_back({work->step, work->file});
      else
        break;
    return tasks;
  }

  /// Until nothing is queued and nothing runs.
  void grade_on_cluster(std::vector<batch::Task> tasks) {
    if (tasks.empty()) tasks = next_tasks(1);
    const std::size_t others = tasks.size();  // in front of what a preview runs
    std::size_t with_previews = others;
    while (others == 0 && with_previews < least_ahead_on_a_cluster)
      if (std::optional<batch::Task> task = next_to_preview())
        tasks.push_back(std::move(*task)), ++with_previews;
      else
        break;
    if (tasks.empty()) {
      now_and_then();
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      return;
    }
    const auto top_up = [&](batch::SlurmRun &run) {
      now_and_then();
      const batch::SlurmRun::Progress now = run.progress();
      const std::size_t ahead = std::max(least_ahead_on_a_cluster, now.running);
      if (now.waiting >= ahead) return;
      const std::vector<batch::Task> more = next_tasks(ahead - now.waiting);
      if (more.empty()) return;
      tasks.insert(tasks.end(), more.begin(), more.end());
      run.add(more, (more.size() + tasks_for_those_ahead - 1) / tasks_for_those_ahead);
    };
    gradebook::run_on_slurm(
        store_, grader_, tasks, conditions_,
        [&](const batch::TaskOutcome &o) {
          if (!o.answered && !o.lost && lets_wait(tasks.at(o.task))) return;
          if (o.task >= others && o.task < with_previews)
            keep_previewed(tasks.at(o.task), o.answered, o.text, o.seconds);
          else
            keep(tasks.at(o.task), o.answered, o.text, o.seconds);
        },
        [](const std::string &line) { fmt::print(stderr, "{}\n", for_terminal(line)); }, top_up,
        interruption_);
  }

  const std::string &name() const { return grader_.course.assignment.name; }

  batch::Store &store_;
  Jobs &jobs_;
  Orders &orders_;
  Exams &exams_;
  const gradebook::ClassGrader &grader_;
  const Interruption &interruption_;
  Policy policy_;
  std::string fingerprint_;
  gradebook::ConditionsOfTask conditions_;
  ClassBook book_;
  batch::WorkerOptions options_;
  int slots_ = 1;
  std::map<std::pair<std::string, std::string>, std::vector<Work>> in_flight_;  ///< by step and file
  std::set<std::pair<std::string, std::string>> again_;  ///< by step and file: somebody wants a new result
  std::map<std::pair<std::string, std::string>, int> failures_;         ///< by step and file
  std::map<std::string, std::chrono::steady_clock::time_point> noted_;  ///< by request
  std::vector<batch::Task> to_preview_;                                 ///< the next one at the end
  std::set<std::pair<std::string, std::string>> previewing_;            ///< by step and file
  std::chrono::steady_clock::time_point looked_at_preview_;
  std::string out_;      ///< why no GPU can be used; empty: one can
  bool ending_ = false;  ///< nothing more is begun
  std::chrono::steady_clock::time_point announced_, written_, looked_at_gpus_, looked_at_held_;
};

}  // namespace

std::vector<std::string> words_of(const fs::path &folder, const gradebook::GradingWords &w) {
  return {grade_queue_command,
          folder.string(),
          w.assignment,
          w.device,
          w.toolchain,
          w.gpus,
          w.executor,
          w.slurm,
          std::to_string(w.jobs),
          w.no_sandbox ? "no-sandbox" : "sandbox",
          w.seed ? std::to_string(*w.seed) : ""};
}

int grade_queue(const std::vector<std::string> &words) {
  QueueOrders orders = orders_from(words);
  ServiceStore service(orders.folder, ServiceStore::Access::open);
  Jobs jobs(service);
  Orders staff_orders(service);
  Exams exams(service);
  const Interruption interruption;
  const auto cannot = [&](const std::string &why) {
    jobs.announce({orders.words.assignment, false, why, "", "", 1, std::time(nullptr)});
  };
  try {
    batch::Store store(orders.folder / orders.words.assignment, batch::Store::Access::create);
    gradebook::remove_unfinished(store.folder());
    gradebook::ClassCourse course = gradebook::open_class_course(orders.words.assignment);
    demand_settled_variants(service, course.root, orders.words.assignment);
    const auto policies = read_policies(orders.folder / policy_file_name, assignment_names(course.root));
    // A class that is made anew beside an older queue, as after a loss, gets the inputs that it had.
    if (!orders.words.seed && !store.info()) orders.words.seed = service.class_seed(orders.words.assignment);
    const std::optional<gradebook::ClassGrader> grader =
        gradebook::prepare(store, std::move(course), orders.words, interruption);
    if (!grader) return 0;
    service.keep_class_seed(orders.words.assignment, grader->seed);
    store.begin({grader->course.assignment.name, grader->seed, grader->course.assignment.without_gpu});
    QueueGrader(store, jobs, staff_orders, exams, *grader, policies.at(orders.words.assignment), interruption)
        .run();
  } catch (const std::exception &e) {
    cannot(e.what());
    throw;
  }
  return 0;
}

}  // namespace warpgrade::service
