// Sizes and factors of a case, in the form that every file of a course uses.
#pragma once

#include <string_view>
#include <vector>

#include "course/assignment.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

/// {m: 1, n: 257, k: 33, alpha: 0.5}; keys in `also` are left to the caller.
problem::Case read_values(const Yaml &, const problem::Problem &, const problem::Formulas &with,
                          const std::vector<std::string_view> &also = {});

/// The same, or one number for all sizes.
problem::Case read_size(const Yaml &, const problem::Problem &, const problem::Formulas &with);

/// A line of a case set: values and, optionally, `on: gpu` or `advisory: true`.
Case read_case(const Yaml &, const problem::Problem &, const problem::Formulas &with, Visibility);

/// {from: 232, to: 248, multiple_of: 8}: these cases, with all sizes equal, instead of the sizes of
/// `nominal`, which is not among them.
std::vector<problem::Case> read_near(const Yaml &, const problem::Problem &, const problem::Formulas &with,
                                     const problem::Case &nominal);

/// {grid_x: n/64}: integers of the problem that a step's cases need not give.
problem::Formulas read_formulas(const Yaml &, const problem::Problem &);

}  // namespace warpgrade::course
