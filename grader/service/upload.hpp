// What somebody uploaded, checked: files that an assignment knows, each within its limit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "course/assignment.hpp"
#include "service/jobs.hpp"

namespace warpgrade::service {

inline constexpr std::size_t most_files = 64;

/// Each step's file and headers as one text. `files`: bytes by name, as the assignment names them; both are
/// untrusted. Throws ApiError with a sentence.
std::vector<StepText> steps_of_files(const course::Assignment &,
                                     const std::map<std::string, std::string> &files);

}  // namespace warpgrade::service
