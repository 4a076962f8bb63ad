// Processes that gradebook starts of itself, here or on a cluster. Not for people: gradebook/class_run.cpp
// and gradebook/class_slurm.cpp write their arguments. Each function gives the exit status.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::gradebook {

/// Grades one file after another for the commands on a class.
inline constexpr const char *worker_command = "grade-files";
inline constexpr const char *seed_variable = "WARPGRADE_CLASS_SEED";  ///< of its environment
int worker(const std::vector<std::string> &words);

/// A task of a job array on a node of a cluster, which has such processes grade what a file names.
inline constexpr const char *task_command = "grade-array";
int task(const std::vector<std::string> &words);
/// A task that only looks at the node.
inline constexpr const char *probe_command = "look-at-node";
int probe(const std::vector<std::string> &words);

}  // namespace warpgrade::gradebook
