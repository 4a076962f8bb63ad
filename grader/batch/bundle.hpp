// A step's file and the student's headers that it is compiled with, as one text: what is handed in, kept,
// compared and graded for a step is then still one thing, whose hash covers all of it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "course/assignment.hpp"

namespace warpgrade::batch {

/// `headers` by name; one that the step does not have is left out, one that is not there is the starter's.
/// The file's own lines keep their numbers. Without headers it is the file as it is.
std::string bundle(const course::Step &step, std::string file,
                   const std::map<std::string, std::string> &headers);

/// The files again, by name. A text that looks like a header's first line belongs to its student's files all
/// the same: whatever is in them, only names that the step has come out.
std::map<std::string, std::string> unbundle(const course::Step &step, std::string_view text);

}  // namespace warpgrade::batch
