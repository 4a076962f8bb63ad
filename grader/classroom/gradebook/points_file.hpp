// Points that people give, as a table: those of an oral exam or of a quiz on another platform.
#pragma once

#include <string>
#include <vector>

#include "gradebook/gradebook.hpp"

namespace warpgrade::gradebook {

/// The rows of a CSV file with the columns `student` (or `id`), `step`, `points` and, unless a reason is given for all
/// rows, `reason`. Each is checked as override_points() does, before any of them is stored. Throws UsageError with file and
/// line.
std::vector<OverrideOptions> points_in_file(const std::string &class_folder, const std::string &file,
                                            const std::string &reason);

}  // namespace warpgrade::gradebook
