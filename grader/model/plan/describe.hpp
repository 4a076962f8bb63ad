// A plan as text, as `grade plan` prints it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "plan/plan.hpp"

namespace warpgrade::plan {

/// The buffers, then one numbered line per operation with its arguments. With `kernels`
/// (CallRequest::kernels), each scalar argument is shown; without, only their number of bytes.
std::string describe(const LaunchPlan &, std::span<const KernelLayout> kernels = {});
std::string describe(const Operation &, const LaunchPlan &, std::span<const KernelLayout> kernels = {});

/// True if at least one kernel is launched.
bool launches_anything(const LaunchPlan &);

/// "operation 3: launch a() against launch b()", or nothing if the plans are equal.
std::optional<std::string> first_difference(const LaunchPlan &, const LaunchPlan &);

}  // namespace warpgrade::plan
