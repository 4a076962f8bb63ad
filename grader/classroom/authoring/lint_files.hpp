// What `gradebook lint` finds in an assignment's files without running anything of it. Each mistake is a
// sentence that begins with a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::authoring {

/// Where starter/NAME is not what tools/make-starter makes of solutions/NAME.
std::vector<std::string> starter_out_of_step(const std::filesystem::path &root, const std::string &name);

/// Steps whose file the starter or the solutions lack.
std::vector<std::string> files_not_found(const std::filesystem::path &root, const course::Assignment &);

/// Steps whose `entry` no header of the starter declares, or which their solution does not define.
std::vector<std::string> entries_not_found(const std::filesystem::path &root, const course::Assignment &);

/// What is wrong with the text of handouts/NAME.md: numbers that were typed; gaps of the starter that it says
/// nothing of, or that there are not. Nothing where there is no handout.
std::vector<std::string> mistakes_in_handout(const std::filesystem::path &root, const course::Assignment &);

/// Entries of equivalent.yaml that fit no change of a solution any more.
std::vector<std::string> entries_that_fit_nothing(const std::filesystem::path &root,
                                                  const course::Assignment &);

}  // namespace warpgrade::authoring
