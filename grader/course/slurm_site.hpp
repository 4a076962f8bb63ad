// What a site says of its Slurm cluster: a YAML file beside the course, never part of an assignment. Takes
// the file, gives options for sbatch and how patient to be; throws ConfigError.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgrade::course {

/// Empty texts and zeros say nothing: the cluster's own defaults hold.
struct SlurmSite {
  std::string partition, account, qos, gres, constraint, memory;
  std::string time;       ///< of one task, as sbatch takes it: "30", "1:00:00"
  int cpus_per_task = 0;  ///< files that a task grades at a time
  int throttle = 0;       ///< tasks that run at a time
  int queued_tasks = 0;   ///< tasks in the queue at a time, running ones included
  int files_per_task = 20;
  int tries = 3;              ///< of a file, before the grader has failed on it
  double grace_seconds = 60;  ///< until a file that another machine wrote must be seen here
  double poll_seconds = 10;   ///< between two questions about the queue
  std::string folder;  ///< on the shared file system, for work and results; empty: in the class's folder
  std::vector<std::string> sbatch;  ///< options as they are: "--reservation=course"
  std::vector<std::string> setup;   ///< lines of shell before the grader starts: "module load cuda"
  bool operator==(const SlurmSite &) const = default;
};

SlurmSite read_slurm_site(const std::filesystem::path &file);

}  // namespace warpgrade::course
