// A site's settings for its Slurm cluster: a YAML file next to the course, never part of an assignment. Takes
// the file, returns options for sbatch and timeouts; throws ConfigError.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgrade::course {

/// Empty texts and zeros mean the cluster's own defaults.
struct SlurmSite {
  std::string partition, account, qos, gres, constraint, memory;
  std::string time;       ///< of one task, as sbatch takes it: "30", "1:00:00"
  int cpus_per_task = 0;  ///< files that a task grades in parallel
  int throttle = 0;       ///< tasks that run in parallel
  int queued_tasks = 0;   ///< tasks in the queue at a time, running ones included
  int files_per_task = 20;
  int tries = 3;              ///< of a file, before it becomes a grader_error
  double grace_seconds = 60;  ///< until a file that another machine wrote must be visible here
  double poll_seconds = 10;   ///< between two queries of the queue
  std::string folder;  ///< on the shared file system, for work and results; empty: in the class's folder
  std::vector<std::string> sbatch;  ///< options passed unchanged: "--reservation=course"
  std::vector<std::string> setup;   ///< lines of shell that run before the grader starts: "module load cuda"
  bool operator==(const SlurmSite &) const = default;
};

SlurmSite read_slurm_site(const std::filesystem::path &file);

}  // namespace warpgrade::course
