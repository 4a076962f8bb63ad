// What a launch that no GPU starts, or that starts too few threads, most probably got wrong: from its geometry
// and the sizes of the case. Internal to grading/.
#pragma once

#include <optional>
#include <string>

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "ptx/module.hpp"

namespace warpgrade::grading {

/// A clause behind the reason why the launch does not start: "; grid and block look exchanged: block is (65,
/// 65, 1), which is M / 32 rounded up, and grid is (32, 32, 1)". Empty if nothing stands out.
std::string geometry_advice(const problem::Problem &, const problem::Case &, const plan::Launch &);

/// Why this plan cannot write every result, if its code and its geometry show that: fewer threads than
/// results, and no thread writes more than a few.
std::optional<std::string> too_few_threads(const problem::Problem &, const problem::Case &,
                                           const ptx::Module &, const plan::LaunchPlan &);

}  // namespace warpgrade::grading
