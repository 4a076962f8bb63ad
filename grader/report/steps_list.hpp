// The steps of an assignment as a list for a terminal: what to write where, what it is worth, which rules hold.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::report {

/// A step's file in a submission, compared with the starter's.
enum class FileState { missing, as_handed_out, changed };

/// states   of the assignment's steps, in order
/// columns  at most, of the terminal
std::string steps_list(const course::Assignment &, const std::vector<FileState> &states, std::size_t columns);

}  // namespace warpgrade::report
