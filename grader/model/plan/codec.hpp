// A launch plan as bytes, to pass between our own processes.
#pragma once

#include "base/wire.hpp"
#include "plan/plan.hpp"

namespace warpgrade::plan {

void encode(Writer &, const LaunchPlan &);
/// The same plan. Throws WireError if the bytes are not a plan; does not check places and kernels.
LaunchPlan decode_plan(Reader &);

}  // namespace warpgrade::plan
