// The limits of a block on the device that a launcher sees.
#pragma once

#include "plan/plan.hpp"
#include "ptx/launch_check.hpp"

namespace warpgrade::plan {

inline ptx::BlockLimits block_limits(const DeviceProperties &device) {
  return {static_cast<std::uint64_t>(device.max_threads_per_block),
          static_cast<std::uint64_t>(device.registers_per_block), device.shared_bytes_per_block,
          device.shared_bytes_per_block_optin};
}

}  // namespace warpgrade::plan
