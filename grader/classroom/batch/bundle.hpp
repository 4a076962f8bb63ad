// A step's file and the student's headers with which it is compiled, as one text. So what is handed in,
// stored, compared and graded for a step is still one item, whose hash covers all of it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "course/assignment.hpp"

namespace warpgrade::batch {

/// `headers` by name; one that the step does not have is left out, and a missing one is the starter's. The
/// file's own lines keep their numbers. Without headers, it is the file unchanged.
std::string bundle(const course::Step &step, std::string file,
                   const std::map<std::string, std::string> &headers);

/// The files again, by name. A student's text may imitate a header's first line; then it still belongs to
/// this student's files, and only names that the step has are returned.
std::map<std::string, std::string> unbundle(const course::Step &step, std::string_view text);

}  // namespace warpgrade::batch
