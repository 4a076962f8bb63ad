// The processes that run what students try in the workspace: for each assignment one that hands out the work, started
// by `gradebook serve`, and its workers. They use the simulator and the open cases alone, with the seed of a kit, so a
// verdict is the one that ./grade gives with the kit. They give way to the processes that grade.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gradebook/class_run.hpp"

namespace warpgrade::service {

inline constexpr const char *trial_queue_command = "trial-queue";
inline constexpr const char *trial_worker_command = "trial-worker";

/// Arguments of the queue's process, its command first.
std::vector<std::string> trial_words_of(const std::filesystem::path &folder, const gradebook::GradingWords &);
/// Each gives the exit status; `words` without the command.
int trial_queue(const std::vector<std::string> &words);
int trial_worker(const std::vector<std::string> &words);

/// The assignment as a kit has it.
course::Assignment without_hidden_cases(course::Assignment);

}  // namespace warpgrade::service
