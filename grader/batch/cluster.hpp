// A Slurm cluster, as its own commands answer: jobs submitted, watched, asked after and cancelled. Takes
// words for sbatch, gives states; knows nothing of grading. Throws ClusterError.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/process.hpp"

namespace warpgrade::batch {

class ClusterError : public std::runtime_error {
 public:
  enum class Kind {
    no_slurm,  ///< there are no Slurm commands here
    silent,    ///< the cluster does not answer: later it may
    too_long,  ///< the array has more tasks than the cluster takes
    full,      ///< a limit on jobs in the queue: later it may be taken
    rejected,  ///< the job as it is
  };
  ClusterError(Kind k, const std::string &what) : std::runtime_error(what), kind(k) {}
  Kind kind;
};

/// Of one task of an array, in the words of squeue.
struct QueuedTask {
  std::string name;  ///< of the job
  std::string job;   ///< number of the array
  std::size_t task = 0;
  std::string state;   ///< "RUNNING"
  std::string reason;  ///< why it waits: "Resources"
  std::string node;
  bool ended() const;  ///< for good
  bool operator==(const QueuedTask &) const = default;
};

class Cluster {
 public:
  virtual ~Cluster() = default;
  /// sbatch with these words; gives the number of the job.
  virtual std::string submit(const std::vector<std::string> &words) = 0;
  /// Every task of the user's jobs, and those that ended lately.
  virtual std::vector<QueuedTask> queue() = 0;
  /// How a task ended, for people: "NODE_FAIL on n1"; empty where nobody knows any more. Never throws
  /// ClusterError.
  virtual std::string how_it_ended(const std::string &job, std::size_t task) = 0;
  /// Of all jobs of the user with this name.
  virtual void cancel(const std::string &name) = 0;
  /// The most tasks that one array may have.
  virtual std::size_t longest_array() = 0;
};

/// The cluster that the commands on the PATH speak to.
class SlurmCluster final : public Cluster {
 public:
  std::string submit(const std::vector<std::string> &words) override;
  std::vector<QueuedTask> queue() override;
  std::string how_it_ended(const std::string &job, std::size_t task) override;
  void cancel(const std::string &name) override;
  std::size_t longest_array() override;

 private:
  bool accounting_ = true;  // until sacct says that there is none
};

/// What `squeue -h -r -t all -o "%F|%K|%T|%r|%N|%j"` printed. Lines that are of no array are left out; tasks
/// that share a line ("3-7%2") are told apart.
std::vector<QueuedTask> read_squeue(const std::string &text);

/// The first line of `sacct -n -P -X --format=JobID,State,ExitCode,NodeList` for this task: "FAILED with exit
/// status 66 on n1". Empty when there is none.
std::string read_sacct(const std::string &text, const std::string &job, std::size_t task);

/// The same of `scontrol -o show job`.
std::string read_scontrol_job(const std::string &text);

/// MaxArraySize of `scontrol show config`; nothing when it is not there.
std::optional<std::size_t> read_longest_array(const std::string &text);

/// What a refusal of sbatch means.
ClusterError::Kind kind_of_refusal(const std::string &error);

}  // namespace warpgrade::batch
