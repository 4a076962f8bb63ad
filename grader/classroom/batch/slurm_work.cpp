// Work on its way to the cluster and back: what an earlier run left, what is submitted, what is cancelled.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "base/files.hpp"
#include "batch/slurm.hpp"

namespace warpgrade::batch {

namespace {

namespace fs = std::filesystem;

constexpr double submission_patience_seconds = 15;  // until what the cluster did not take is tried again

std::string key_of(const std::string &step, const std::string &file) {
  return step + "/" + file;
}

std::string fresh_id() {
  std::random_device random;
  return fmt::format("{:08x}{:04x}", random(), random() & 0xffff);
}

std::string first_line_of(const fs::path &file) {
  const std::string text = read_or_empty(file);
  return text.substr(0, text.find('\n'));
}

/// What a job of an earlier run grades; nothing if it was not submitted, or is under other orders.
std::optional<ArrayWork> work_in(const fs::path &folder, const TaskOrders &orders) {
  if (folder.extension() == ".new") return std::nullopt;
  try {
    std::optional<ArrayWork> work = read_task_file<ArrayWork>(folder / "array.json");
    if (work && work->id == folder.filename() && work->orders == orders) return work;
  } catch (const RefusedFile &) {
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> sbatch_words(const course::SlurmSite &site, const std::string &name,
                                      std::size_t tasks, const std::set<std::string> &avoid,
                                      const fs::path &script) {
  std::vector<std::string> words = {
      "--job-name=" + name,
      fmt::format("--array=0-{}{}", tasks - 1, site.throttle > 0 ? fmt::format("%{}", site.throttle) : ""),
      "--nodes=1",
      "--ntasks=1",
      "--no-requeue",  // what is lost is found here, and counted
      "--output=/dev/null",
      "--chdir=/"};
  const auto add = [&words](const char *option, const std::string &value) {
    if (!value.empty()) words.push_back(fmt::format("--{}={}", option, value));
  };
  add("partition", site.partition);
  add("account", site.account);
  add("qos", site.qos);
  add("gres", site.gres);
  add("constraint", site.constraint);
  add("mem", site.memory);
  add("time", site.time);
  if (site.cpus_per_task > 0) add("cpus-per-task", std::to_string(site.cpus_per_task));
  add("exclude", fmt::format("{}", fmt::join(avoid, ",")));
  words.insert(words.end(), site.sbatch.begin(), site.sbatch.end());
  words.push_back(script.string());
  return words;
}

void SlurmRun::adopt() {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < pending_.size(); ++i) places[key_of(pending_[i].step, pending_[i].file)] = i;
  for (const fs::path &folder : entries_of(arrays_folder(options_.folder))) {
    if (const std::optional<ArrayWork> work = work_in(folder, options_.orders)) {
      restore(*work, folder, places);
      continue;
    }
    if (folder.extension() == ".new") {  // never submitted, or done with
      std::error_code none;
      fs::remove_all(folder, none);
      continue;
    }
    Array other{folder.filename().string(), "", folder, {}, {}};  // of other conditions, of another version
    cluster_.cancel(job_name(other.id));
    drop(other);
  }
  std::set<std::size_t> adopted;
  for (const Array &array : arrays_)
    for (const auto &[number, one] : array.tasks)
      for (const Item &item : one.items) adopted.insert(item.place);
  if (!arrays_.empty())
    say_(fmt::format("{} files are with jobs of an earlier run, which continue", adopted.size()));
  std::vector<std::size_t> places_left;
  for (std::size_t i = 0; i < pending_.size(); ++i)
    if (!adopted.contains(i)) places_left.push_back(i);
  divide(places_left, static_cast<std::size_t>(options_.site.files_per_task));
}

void SlurmRun::add(const std::vector<Task> &tasks, std::size_t files_per_task) {
  std::vector<std::size_t> fresh(tasks.size());
  std::iota(fresh.begin(), fresh.end(), pending_.size());
  pending_.insert(pending_.end(), tasks.begin(), tasks.end());
  taken_.resize(pending_.size(), false);
  left_ += tasks.size();
  divide(fresh, std::min(files_per_task, static_cast<std::size_t>(options_.site.files_per_task)));
}

void SlurmRun::divide(const std::vector<std::size_t> &places, std::size_t files_per_task) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i % files_per_task == 0) waiting_.emplace_back();
    waiting_.back().items.push_back({places[i], 0, ""});
  }
}

void SlurmRun::restore(const ArrayWork &work, const fs::path &folder,
                       const std::map<std::string, std::size_t> &places) {
  Array array{work.id, first_line_of(folder / "job"), folder, {}, {}};
  for (std::size_t t = 0; t < work.tasks.size(); ++t) {
    One one;
    for (std::size_t i = 0; i < work.tasks[t].size(); ++i) {
      const TaskItem &item = work.tasks[t][i];
      const auto place = places.find(key_of(item.step, item.file));
      if (place == places.end()) continue;  // its result was kept
      one.open[i] = one.items.size();
      one.items.push_back({place->second, item.lost, ""});
    }
    if (!one.over()) array.tasks[t] = std::move(one);
  }
  if (array.tasks.empty()) {
    cluster_.cancel(job_name(array.id));
    drop(array);
    return;
  }
  arrays_.push_back(std::move(array));
}

/// Under another name first: a task that still runs then finds no place to write to.
void SlurmRun::drop(Array &array) {
  const fs::path gone = array.folder.string() + ".new";
  std::error_code none;
  fs::rename(array.folder, gone, none);
  fs::remove_all(gone, none);
}

/// False when there is no room, or the cluster wants time.
bool SlurmRun::submit_some() {
  std::size_t tasks = 0;
  try {
    if (longest_ == 0) longest_ = cluster_.longest_array();
    tasks = std::min({longest_, room_now_, waiting_.size()});
    if (options_.site.queued_tasks > 0) {
      const std::size_t most = static_cast<std::size_t>(options_.site.queued_tasks), there = outstanding();
      tasks = std::min(tasks, most > there ? most - there : 0);
    }
    if (tasks == 0) return false;
    submit(tasks);
    full_ = false;
    return true;
  } catch (const ClusterError &e) {
    const bool too_long = e.kind == ClusterError::Kind::too_long, full = e.kind == ClusterError::Kind::full;
    if ((too_long || full) && tasks > 1) {
      (too_long ? longest_ : room_now_) = tasks / 2;
      return true;
    }
    const bool begun = !arrays_.empty() || left_ < pending_.size();
    if (e.kind == ClusterError::Kind::silent && begun) {
      say_silent(std::string(e.what()) + "; trying again (Ctrl-C stops)");
    } else if (full && !arrays_.empty()) {
      if (!std::exchange(full_, true)) say_("the queue takes no more of this user's tasks for now");
    } else {
      std::string refusals;
      for (const auto &[node, reason] : refusals_)
        refusals += fmt::format("\n  {} is avoided: {}", node, reason);
      throw ClusterError(e.kind, e.what() + refusals);
    }
    room_now_ = no_end;
    next_submission_ = clock_() + submission_patience_seconds;
    return false;
  }
}

void SlurmRun::submit(std::size_t tasks) {
  ArrayWork work{fresh_id(), options_.orders, {}};
  Array array{work.id, "", arrays_folder(options_.folder) / work.id, {}, {}};
  const fs::path fresh = arrays_folder(options_.folder) / (work.id + ".new");
  fs::create_directory(fresh);
  fs::permissions(fresh, fs::perms::owner_all);
  auto piece = waiting_.begin();
  for (std::size_t t = 0; t < tasks; ++t, ++piece) {
    TaskWork of_one{options_.orders, {}};
    One one;
    for (const Item &item : piece->items) {
      const Task &task = pending_[item.place];
      of_one.items.push_back({task.step, task.file, source_(task), item.lost});
      one.open[one.items.size()] = one.items.size();
      one.items.push_back(item);
    }
    write_task_file(fresh / work_name(t), of_one);
    for (TaskItem &item : of_one.items) item.text.clear();
    work.tasks.push_back(std::move(of_one.items));
    array.tasks[t] = std::move(one);
  }
  write_task_file(fresh / "array.json", work);
  write_atomically(fresh / "job.sh",
                   job_script(array.folder, options_.program, options_.command, options_.site.setup));
  fs::rename(fresh, array.folder);
  try {
    array.job = cluster_.submit(
        sbatch_words(options_.site, job_name(array.id), tasks, options_.avoid, array.folder / "job.sh"));
  } catch (const ClusterError &e) {
    // One that did not answer may have taken it all the same; without its folder the job ends at once.
    drop(array);
    throw;
  }
  write_atomically(array.folder / "job", array.job + "\n");
  waiting_.erase(waiting_.begin(), piece);
  arrays_.push_back(std::move(array));
}

bool SlurmRun::cancel() {
  for (Array &array : arrays_) collect(array);
  bool all = true;
  for (Array &array : arrays_) {
    try {
      cluster_.cancel(job_name(array.id));
      drop(array);
    } catch (const ClusterError &e) {
      say_(
          fmt::format("job {} could not be cancelled: {}; 'scancel --name={}' does it, and the next run "
                      "collects its results",
                      array.job, e.what(), job_name(array.id)));
      all = false;
    }
  }
  arrays_.clear();
  return all;
}

std::vector<Task> under_way(const fs::path &folder, const TaskOrders &orders) {
  std::vector<Task> tasks;
  for (const fs::path &array : entries_of(arrays_folder(folder)))
    if (const std::optional<ArrayWork> work = work_in(array, orders))
      for (const std::vector<TaskItem> &items : work->tasks)
        for (const TaskItem &item : items) tasks.push_back({item.step, item.file});
  return tasks;
}

void forget_results(const fs::path &folder, const std::vector<Task> &tasks) {
  std::set<std::string> wanted;
  for (const Task &task : tasks) wanted.insert(key_of(task.step, task.file));
  for (const fs::path &array : entries_of(arrays_folder(folder)))
    for (const fs::path &file : entries_of(array)) {
      if (!file.filename().string().starts_with("result-")) continue;
      try {
        const auto result = read_task_file<TaskResult>(file);
        if (result && wanted.contains(key_of(result->step, result->file))) fs::remove(file);
      } catch (const RefusedFile &) {
      }
    }
}

}  // namespace warpgrade::batch
