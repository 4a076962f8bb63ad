#include "batch/slurm.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/files.hpp"

namespace warpgrade::batch {

namespace {

namespace fs = std::filesystem;

constexpr double collect_seconds = 1;  // between two looks at the folder

/// The end of what a task printed.
std::string last_words(const fs::path &file) {
  constexpr std::size_t most = 300;
  std::string text = read_end(file, most);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

SlurmRun::SlurmRun(Cluster &cluster, SlurmOptions options, std::vector<Task> tasks, Source source, Take take,
                   Clock clock, Say say)
    : cluster_(cluster),
      options_(std::move(options)),
      pending_(std::move(tasks)),
      source_(std::move(source)),
      take_(std::move(take)),
      clock_(std::move(clock)),
      say_(std::move(say)),
      taken_(pending_.size(), false),
      left_(pending_.size()) {
  fs::create_directories(arrays_folder(options_.folder));
  fs::permissions(options_.folder, fs::perms::owner_all);
}

std::string SlurmRun::job_name(const std::string &id) const {
  return fmt::format("warpgrade-{}-{}", options_.label, id);
}

std::size_t SlurmRun::outstanding() const {
  std::size_t tasks = 0;
  for (const Array &array : arrays_)
    for (const auto &[number, one] : array.tasks) tasks += one.ended || one.over() ? 0 : 1;
  return tasks;
}

SlurmRun::Progress SlurmRun::progress() const {
  Progress now;
  for (const Array &array : arrays_)
    for (const auto &[number, one] : array.tasks)
      (one.state == "RUNNING" ? now.running : now.waiting) += one.open.size();
  for (const Piece &piece : waiting_) now.waiting += piece.items.size();
  return now;
}

bool SlurmRun::round() {
  for (Array &array : arrays_) collect(array);
  const bool anything_there =
      std::any_of(arrays_.begin(), arrays_.end(), [](const Array &a) { return !a.tasks.empty(); });
  if (anything_there && clock_() >= next_question_) {
    ask_the_cluster();
    next_question_ = clock_() + options_.site.poll_seconds;
  }
  lost_tasks_ = 0;
  for (Array &array : arrays_) {
    for (auto &[number, one] : array.tasks) find_lost(array, number, one);
    std::erase_if(array.tasks, [](const auto &task) { return task.second.over(); });
    if (array.tasks.empty()) drop(array);
  }
  arrays_.remove_if([](const Array &array) { return array.tasks.empty(); });
  if (lost_tasks_ > 0)
    say_(fmt::format("{} task{} ended without {} results, the first: {}", lost_tasks_,
                     lost_tasks_ == 1 ? "" : "s", lost_tasks_ == 1 ? "its" : "their", why_lost_));
  while (!waiting_.empty() && clock_() >= next_submission_ && submit_some()) {
  }
  if (left_ == 0) cancel();  // what some node may still do a second time
  return left_ > 0;
}

void SlurmRun::collect(Array &array) {
  array.there.clear();
  for (const fs::path &file : entries_of(array.folder)) array.there.insert(file.filename().string());
  for (auto &[number, one] : array.tasks) collect_task(array, number, one);
}

void SlurmRun::collect_task(Array &array, std::size_t number, One &one) {
  for (auto open = one.open.begin(); open != one.open.end();) {
    if (!array.there.contains(result_name(number, open->first))) {
      ++open;
      continue;
    }
    Item &item = one.items[open->second];
    const Task &task = pending_[item.place];
    const fs::path file = array.folder / result_name(number, open->first);
    std::optional<TaskResult> result;
    try {
      result = read_task_file<TaskResult>(file);
      if (result && (result->step != task.step || result->file != task.file ||
                     result->fingerprint != options_.orders.fingerprint)) {
        item.bad = file.filename().string() + ": it is the result of something else";
        result.reset();
      }
    } catch (const RefusedFile &e) {
      item.bad = e.what();  // perhaps not yet all here: it has until some time after its task's end
    }
    if (!result) {
      ++open;
      continue;
    }
    if (!taken_[item.place]) {
      take_({item.place, result->answered, false, std::move(result->text), result->seconds});
      taken_[item.place] = true;
      --left_;
    }
    // Only now that it is kept: whoever is killed before finds it again.
    std::error_code none;
    fs::remove(file, none);
    open = one.open.erase(open);
  }
}

void SlurmRun::ask_the_cluster() {
  std::vector<QueuedTask> queue;
  try {
    queue = cluster_.queue();
    if (std::exchange(silent_, false)) say_("the cluster answers again");
  } catch (const ClusterError &e) {
    if (e.kind != ClusterError::Kind::silent) throw;
    say_silent(std::string(e.what()) + "; waiting, since results may still arrive (Ctrl-C stops)");
    return;
  }
  std::map<std::pair<std::string, std::size_t>, const QueuedTask *> found;
  for (const QueuedTask &task : queue) {
    const QueuedTask *&known = found[{task.name, task.task}];
    if (known == nullptr || known->ended()) known = &task;
  }
  for (Array &array : arrays_)
    for (auto &[number, one] : array.tasks) {
      const auto entry = found.find({job_name(array.id), number});
      if (entry != found.end()) {
        one.state = entry->second->state;
        one.node = entry->second->node;
        if (array.job.empty()) array.job = entry->second->job;
      }
      if (entry != found.end() && !entry->second->ended())
        one.ended.reset();
      else if (!one.ended)
        one.ended = clock_();
    }
  say_what_waits(queue);
}

void SlurmRun::say_silent(const std::string &remark) {
  if (!std::exchange(silent_, true)) say_(remark);
}

/// When nothing runs, why.
void SlurmRun::say_what_waits(const std::vector<QueuedTask> &queue) {
  std::set<std::string> names, reasons;
  for (const Array &array : arrays_) names.insert(job_name(array.id));
  std::size_t tasks = 0;
  for (const QueuedTask &task : queue) {
    if (!names.contains(task.name) || task.ended()) continue;
    if (task.state != "PENDING") {
      waits_for_.clear();
      waited_for_.clear();
      return;
    }
    ++tasks;
    if (task.reason != "JobArrayTaskLimit" && task.reason != "None") reasons.insert(task.reason);
  }
  if (tasks == 0 || reasons.empty()) return;
  const std::string why = fmt::format("{}", fmt::join(reasons, ", "));
  // Between two tasks there are moments in which none runs.
  if (std::exchange(waited_for_, why) != why || why == waits_for_) return;
  waits_for_ = why;
  say_(fmt::format("{} task{} wait{} in the queue, none runs: {}", tasks, tasks == 1 ? "" : "s",
                   tasks == 1 ? "s" : "", why));
}

/// Why a node did not grade what it was given; empty when it did not say so.
std::string SlurmRun::refusal_of(const Array &array, std::size_t number) {
  if (!array.there.contains(refusal_name(number))) return "";
  std::optional<TaskRefusal> refusal;
  try {
    refusal = read_task_file<TaskRefusal>(array.folder / refusal_name(number));
  } catch (const RefusedFile &) {  // the task's end will show
  }
  if (!refusal) return "";
  if (options_.changed && options_.changed()) {
    cancel();
    throw std::runtime_error(
        fmt::format("the files of {} have changed since this run began; its jobs are cancelled, and results "
                    "so far are kept: start it again",
                    options_.orders.assignment));
  }
  std::string why = fmt::format("node {} refused to grade: {}", refusal->node, refusal->reason);
  for (std::size_t at = 0; (at = why.find('\n', at)) != std::string::npos;) why.replace(at, 1, ". ");
  if (options_.avoid.insert(refusal->node).second) {
    refusals_[refusal->node] = refusal->reason;
    say_(why + "; jobs avoid it from now on");
  }
  return why;
}

void SlurmRun::find_lost(Array &array, std::size_t number, One &one) {
  if (one.over()) return;
  std::string why = refusal_of(array, number);
  if (why.empty()) {
    if (!one.ended || clock_() < *one.ended + options_.site.grace_seconds) return;
    std::string how = array.job.empty() ? "" : cluster_.how_it_ended(array.job, number);
    if (how.empty() && !one.state.empty()) how = one.state + (one.node.empty() ? "" : " on " + one.node);
    const std::string words = last_words(array.folder / log_name(number));
    why = fmt::format("task {}_{} ended{}{}", array.job.empty() ? array.id : array.job, number,
                      how.empty() ? " and is no longer known to the cluster" : ": " + how,
                      words.empty() ? "" : ": " + words);
  }
  if (++lost_tasks_ == 1) why_lost_ = why;
  for (const auto &[item, place] : one.open) {
    Item &lost = one.items[place];
    lose(lost, lost.bad.empty() ? why : lost.bad + "; " + why);
  }
  one.open.clear();
}

void SlurmRun::lose(Item item, const std::string &why) {
  if (taken_[item.place]) return;
  ++item.lost;
  item.bad.clear();
  if (item.lost < options_.site.tries) {
    waiting_.push_front({{item}});  // alone: whatever it was, it takes no other file with it again
    return;
  }
  take_({item.place, false, true,
         fmt::format("the cluster returned no result in {} {}; the last time {}", item.lost,
                     item.lost == 1 ? "try" : "tries", why),
         0});
  taken_[item.place] = true;
  --left_;
}

bool SlurmRun::run(int stop_descriptor, const std::function<void()> &meanwhile) {
  adopt();
  while (round()) {
    if (meanwhile) meanwhile();
    const double wait = std::min(collect_seconds, options_.site.poll_seconds);
    pollfd stop = {stop_descriptor, POLLIN, 0};
    ::poll(&stop, 1, static_cast<int>(wait * 1000));
    if (stop.revents == 0) continue;
    cancel();
    return false;
  }
  return true;
}

}  // namespace warpgrade::batch
