// A class graded by tasks of a cluster: work is written as files and submitted as job arrays; only this
// process collects results; lost work is submitted again. Takes files to be graded, returns a reply for each,
// once; knows nothing about grading.
//
// Everything needed to continue is in the folder (batch/task_files.hpp): a run that is killed leaves its jobs
// in the queue, and the next one adopts or cancels them.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batch/cluster.hpp"
#include "batch/task_files.hpp"
#include "course/slurm_site.hpp"

namespace warpgrade::batch {

struct SlurmOptions {
  course::SlurmSite site;
  TaskOrders orders;
  std::filesystem::path folder;      ///< absolute, on a file system that every node sees; created if missing
  std::filesystem::path program;     ///< absolute: what a task runs on a node
  std::vector<std::string> command;  ///< its first arguments; folder and number of the task follow
  std::string label;                 ///< in the names of jobs: "hw6"
  std::set<std::string> avoid;       ///< nodes to avoid
  std::function<bool()> changed;     ///< whether the course has changed since; asked when a node refuses
};

/// The options of sbatch for an array of `tasks`, and the script that it runs.
std::vector<std::string> sbatch_words(const course::SlurmSite &, const std::string &name, std::size_t tasks,
                                      const std::set<std::string> &avoid,
                                      const std::filesystem::path &script);

/// The result for a file.
struct TaskOutcome {
  std::size_t task = 0;   ///< its position in the list of files to grade
  bool answered = false;  ///< a record came
  bool lost = false;      ///< else: no task ever returned a result, or else the process that graded it ended
  std::string text;       ///< the record; else why there is none
  double seconds = 0;
};

class SlurmRun {
 public:
  using Source = std::function<std::string(const Task &)>;
  using Take = std::function<void(const TaskOutcome &)>;
  using Clock = std::function<double()>;  ///< seconds; any origin
  using Say = std::function<void(const std::string &)>;

  /// source: a file's bytes. take: called once for each of `tasks`.
  SlurmRun(Cluster &, SlurmOptions, std::vector<Task> tasks, Source, Take, Clock, Say);

  /// Continues an earlier run: collects results, adopts its jobs, or cancels those that grade under other
  /// conditions. Throws ClusterError.
  void adopt();
  /// More files, submitted by the next round() with at most `files_per_task` in a task, or the site's. TaskOutcome::task
  /// counts on from the files before them.
  void add(const std::vector<Task> &, std::size_t files_per_task);
  /// Collects, queries jobs, submits what there is room for. False when all is done. Throws ClusterError if
  /// the cluster rejects a job, std::runtime_error if the folder cannot be written or the course has changed.
  bool round();
  /// Collects finished results, and removes every job of ours from the queue. Returns false, after saying so,
  /// if the cluster does not answer: the next run then finds the jobs again.
  bool cancel();
  /// Until all is done (true), or until `stop_descriptor` is readable: then everything is cancelled.
  bool run(int stop_descriptor, const std::function<void()> &meanwhile);

  /// How many tasks are in the queue or running.
  std::size_t outstanding() const;
  /// Files without a result whose task runs, or waits to run, as the cluster said last.
  struct Progress {
    std::size_t running = 0, waiting = 0;
  };
  Progress progress() const;

 private:
  struct Item {
    std::size_t place = 0;  ///< in pending_
    int lost = 0;
    std::string bad;  ///< why an existing result was rejected
  };
  struct One {  ///< a task
    std::vector<Item> items;
    std::map<std::size_t, std::size_t> open;  ///< number of the item, place in `items`
    std::optional<double> ended;
    std::string state, node;
    bool over() const { return open.empty(); }
  };
  struct Array {
    std::string id, job;
    std::filesystem::path folder;
    std::map<std::size_t, One> tasks;
    std::set<std::string> there;  ///< names of the files in its folder, when last looked at
  };
  struct Piece {
    std::vector<Item> items;
  };
  static constexpr std::size_t no_end = static_cast<std::size_t>(-1);

  std::string job_name(const std::string &id) const;
  void collect(Array &);
  void collect_task(Array &, std::size_t number, One &);
  void ask_the_cluster();
  void find_lost(Array &, std::size_t number, One &);
  std::string refusal_of(const Array &, std::size_t number);
  void lose(Item, const std::string &why);
  void drop(Array &);
  void divide(const std::vector<std::size_t> &places, std::size_t files_per_task);
  bool submit_some();
  void submit(std::size_t tasks);
  void restore(const ArrayWork &, const std::filesystem::path &folder,
               const std::map<std::string, std::size_t> &);
  void say_silent(const std::string &);
  void say_what_waits(const std::vector<QueuedTask> &);

  Cluster &cluster_;
  SlurmOptions options_;
  std::vector<Task> pending_;
  Source source_;
  Take take_;
  Clock clock_;
  Say say_;
  std::vector<bool> taken_;
  std::size_t left_ = 0;
  std::list<Array> arrays_;
  std::list<Piece> waiting_;       ///< to be submitted
  std::size_t longest_ = 0;        ///< tasks of an array; 0: not yet asked
  std::size_t room_now_ = no_end;  ///< that the queue seems to have
  double next_question_ = 0, next_submission_ = 0;
  bool silent_ = false;                          ///< the cluster, and that was said
  bool full_ = false;                            ///< likewise the queue
  std::string waits_for_, waited_for_;           ///< already said; at the last query
  std::size_t lost_tasks_ = 0;                   ///< in this round
  std::string why_lost_;                         ///< the first of them
  std::map<std::string, std::string> refusals_;  ///< by node
};

/// The files that jobs of an earlier run grade under these orders: SlurmRun::adopt() goes on with those that it
/// is given.
std::vector<Task> under_way(const std::filesystem::path &folder, const TaskOrders &);

/// Removes results of an earlier run for these files, which are to be graded again.
void forget_results(const std::filesystem::path &folder, const std::vector<Task> &);

}  // namespace warpgrade::batch
