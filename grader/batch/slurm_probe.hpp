// One task that only looks at a node, before a class is given to the cluster: whether it sees the folder,
// what it would grade on, and what stands against it.
#pragma once

#include "batch/slurm.hpp"

namespace warpgrade::batch {

/// Asks, or gives the answer of before when the same was asked. Nothing when `stop_descriptor` could be read;
/// the task is then cancelled. options.command is the program's for this. Throws ClusterError, and
/// std::runtime_error with what to do when no answer comes.
std::optional<NodeFacts> ask_a_node(Cluster &, const SlurmOptions &, const SlurmRun::Clock &,
                                    const SlurmRun::Say &, int stop_descriptor);

/// Asks again the next time.
void forget_node(const std::filesystem::path &folder);

}  // namespace warpgrade::batch
