// A launch plan as bytes between processes of ours: on its way to whoever replays it.
#pragma once

#include "base/wire.hpp"
#include "plan/plan.hpp"

namespace warpgrade::plan {

void encode(Writer &, const LaunchPlan &);
/// The same plan. Throws WireError when the bytes are none; places and kernels are not checked.
LaunchPlan decode_plan(Reader &);

}  // namespace warpgrade::plan
