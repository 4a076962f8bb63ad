// A Slurm cluster, through its own commands: submits, watches, queries and cancels jobs. Takes words for
// sbatch, returns states; knows nothing about grading. Throws ClusterError.
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
    silent,    ///< the cluster does not answer: it may later
    too_long,  ///< the array has more tasks than the cluster accepts
    full,      ///< a limit on jobs in the queue: it may be accepted later
    rejected,  ///< the job itself
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
  /// How a task ended, for people: "NODE_FAIL on n1"; empty if no longer known. Never throws ClusterError.
  virtual std::string how_it_ended(const std::string &job, std::size_t task) = 0;
  /// Of all jobs of the user with this name.
  virtual void cancel(const std::string &name) = 0;
  /// The most tasks that one array may have.
  virtual std::size_t longest_array() = 0;
};

/// The cluster of the commands on the PATH.
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

/// Parses the output of `squeue -h -r -t all -o "%F|%K|%T|%r|%N|%j"`. Lines that do not belong to an array
/// are left out; tasks that share a line ("3-7%2") are separated.
std::vector<QueuedTask> read_squeue(const std::string &text);

/// The first line of `sacct -n -P -X --format=JobID,State,ExitCode,NodeList` for this task: "FAILED with exit
/// status 66 on n1". Empty if there is none.
std::string read_sacct(const std::string &text, const std::string &job, std::size_t task);

/// The same from `scontrol -o show job`.
std::string read_scontrol_job(const std::string &text);

/// MaxArraySize from `scontrol show config`; nothing if it is missing.
std::optional<std::size_t> read_longest_array(const std::string &text);

/// What a refusal of sbatch means.
ClusterError::Kind kind_of_refusal(const std::string &error);

}  // namespace warpgrade::batch
