// Sizes at which a mutant may differ from its solution: around the constants of the source and the sizes of the cases.
// Internal to harden/.
#pragma once

#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::harden {

/// Cases that the simulator runs for points: neither advisory nor for a GPU only.
std::vector<course::Case> graded_cases(const course::Step &, course::Visibility);

/// At most 80 of the cases that `grade search` would try, with the sizes of the step's own cases among the constants. None
/// takes more work than the largest of those, or than one of small sizes.
std::vector<problem::Case> wider_cases(const course::Step &, const std::string &source);

/// "{m: 33, n: 33, k: 33, alpha: 0.5}", as hidden.yaml has it.
std::string as_yaml(const course::Step &, const problem::Case &);

}  // namespace warpgrade::harden
