// The steps of an assignment as a list for a terminal: what to write where, what it is worth, which rules hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::report {

/// A step's file in a submission, compared with the starter's.
struct FileState {
  enum class Kind : std::uint8_t {
    missing,
    as_handed_out,
    changed,
    here,  ///< and there is no starter to compare it with
  };
  Kind kind = Kind::missing;
  std::string misnamed;  ///< if missing: a file that was probably meant to be it
};

/// Steps beyond the course whose files are missing are listed last, and in brief.
/// states   of the assignment's steps, in order
/// columns  at most, of the terminal
std::string steps_list(const course::Assignment &, const std::vector<FileState> &states, std::size_t columns);

}  // namespace warpgrade::report
