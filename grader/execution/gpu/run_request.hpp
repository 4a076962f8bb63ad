// A parent's request to a replay child: one plan, where its data is, how to time it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "gpu/wire.hpp"
#include "plan/plan.hpp"

namespace warpgrade::gpu {

struct RunRequest {
  plan::LaunchPlan plan;
  /// Of each judge buffer: in the shared memory or, if `dealt`, in the memory imported for it.
  std::vector<std::uint64_t> offsets;
  bool dealt = false;  ///< the judge buffers already contain their inputs, put there by another process
  bool bare = false;   ///< each buffer is an allocation of its own, without guards
  std::uint64_t shared_bytes = 0;
  std::uint64_t random = 0;  ///< where buffers are put; of no use to anyone else
  bool timed = false;
  SampleOptions sample;
  std::string nvml_library, pci_bus_id;  ///< if energy is to be counted
};

void encode(Writer &to, const RunRequest &request);
/// throws WireError
RunRequest decode_run_request(Reader &from);

}  // namespace warpgrade::gpu
