// What a GPU refuses before a kernel starts: the same answer for the worker's runtime and for the plan's
// reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan.hpp"

namespace warpgrade::plan {

/// returns  why no GPU like `device` would start this, as one sentence, or nothing when it would.
///          `max_dynamic_shared` is the function attribute, 0 where it was never set.
std::optional<std::string> refusal_of_launch(const Dim3 &grid, const Dim3 &block,
                                             std::uint64_t dynamic_shared_bytes, const KernelLayout &,
                                             std::uint64_t max_dynamic_shared, const DeviceProperties &);

}  // namespace warpgrade::plan
