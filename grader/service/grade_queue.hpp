// The process that grades what is queued for one assignment: one for each, started by `gradebook serve`. It
// alone writes the store of the class, DIR/<assignment>/. Whenever it is killed, its successor continues.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gradebook/class_run.hpp"

namespace warpgrade::service {

inline constexpr const char *grade_queue_command = "grade-queue";

/// Its arguments, and back.
std::vector<std::string> words_of(const std::filesystem::path &folder, const gradebook::GradingWords &);
/// Gives the exit status. `words` are those of words_of().
int grade_queue(const std::vector<std::string> &words);

}  // namespace warpgrade::service
