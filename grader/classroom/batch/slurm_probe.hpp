// A task that only inspects a node, before a class is given to the cluster: whether it sees the folder, what
// it would grade on, and what would prevent that.
#pragma once

#include "batch/slurm.hpp"

namespace warpgrade::batch {

/// Runs the probe, or returns the earlier answer to the same question. Nothing if `stop_descriptor` was
/// readable; the task is then cancelled. options.command is the program's for this. Throws ClusterError, and
/// std::runtime_error with what to do if no answer comes.
std::optional<NodeFacts> ask_a_node(Cluster &, const SlurmOptions &, const SlurmRun::Clock &,
                                    const SlurmRun::Say &, int stop_descriptor);

/// Forgets the answer, so that the next call asks again.
void forget_node(const std::filesystem::path &folder);

}  // namespace warpgrade::batch
