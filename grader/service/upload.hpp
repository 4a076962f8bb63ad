// An upload, checked: files that an assignment knows, each within its limit. Both the interface
// for programs and the pages submit it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "service/api.hpp"

namespace warpgrade::service {

inline constexpr std::size_t most_files = 64;

/// Each step's file and headers as one text. `files`: bytes by name, as the assignment names them, or the
/// archive that `./grade package` writes; all are untrusted. Throws ApiError with a sentence.
std::vector<StepText> steps_of_files(const course::Assignment &,
                                     const std::map<std::string, std::string> &files);
/// Submits them for this person, to be graded by their own variant. Throws ApiError when the assignment is closed to them or the queue refuses.
Receipt submit(Shared &, Jobs &, const ServedCourse &, const Person &, const std::vector<StepText> &);

}  // namespace warpgrade::service
