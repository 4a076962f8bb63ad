// Sizes and factors of a case, as every file of a course spells them.
#pragma once

#include <string_view>
#include <vector>

#include "course/assignment.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

/// {m: 1, n: 257, k: 33, alpha: 0.5}; keys in `also` are left to the caller.
problem::Case read_values(const Yaml &, const problem::Problem &, const std::vector<std::string_view> &also);

/// A line of a case set: values and, where wanted, `on: gpu`.
Case read_case(const Yaml &, const problem::Problem &, Visibility);

}  // namespace warpgrade::course
