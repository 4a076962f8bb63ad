// Grading a class on a Slurm cluster: what the site's file says, where work lies, one node looked at before.
#pragma once

#include <functional>

#include "batch/slurm.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/variant_rules.hpp"

namespace warpgrade::gradebook {

/// Beside assignments/.
inline constexpr const char *slurm_file_name = "slurm.yaml";
/// In a class's folder, unless the site's file names a place for it.
inline constexpr const char *slurm_folder_name = "slurm";

/// Asks a node what it grades with. Nothing when interrupted. Throws UsageError when nothing can be graded
/// there, course::ConfigError for mistakes in the site's file, and what batch::ask_a_node throws.
std::optional<ClassGrader> look_at_a_node(const batch::Store &, ClassCourse, const GradingWords &,
                                          std::uint64_t seed, const Interruption &);

/// What jobs of an earlier run still grade under the present conditions.
std::vector<batch::Task> under_way_on_slurm(const batch::Store &, const ClassGrader &);

/// Has the cluster grade what is pending, and what `meanwhile` adds; `take` gets each outcome once. False when it
/// was interrupted.
bool run_on_slurm(const batch::Store &, const ClassGrader &, const std::vector<batch::Task> &pending,
                  const ConditionsOfTask &, const batch::SlurmRun::Take &take,
                  const batch::SlurmRun::Say &say, const std::function<void(batch::SlurmRun &)> &meanwhile,
                  const Interruption &);

/// Results of an interrupted run that were not yet collected: these files are to be graded anew.
void forget_slurm_results(const batch::Store &, const ClassGrader &, const std::vector<batch::Task> &);

}  // namespace warpgrade::gradebook
