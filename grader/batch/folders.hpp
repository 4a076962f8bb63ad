// A class as plain folders: SUBMISSIONS/<student>/..., each with the files of the assignment's steps.
#pragma once

#include <filesystem>
#include <functional>

#include "batch/handin.hpp"
#include "course/assignment.hpp"

namespace warpgrade::batch {

/// A Handin for each folder, by name. Links are not followed, and what is larger than a source file may be is
/// left out with a note. Throws std::runtime_error when `submissions` is no folder that can be read.
void take_in_folders(const std::filesystem::path &submissions, const course::Assignment &,
                     const std::function<void(Handin)> &each);

}  // namespace warpgrade::batch
