// GPUs on which a killed process did not end. They take no more work of any process of this machine until a
// person has looked at them: each is noted in a file beside its lock (gpu/device_lock.hpp).
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu.hpp"

namespace warpgrade::gpu {

/// A GPU that is out, in a sentence for a person: which one, since when, and what to do.
struct RetiredGpu {
  std::string pci_bus_id;
  std::string sentence;
};

/// Notes it, until the machine is started again or the file is removed. A file that cannot be written is no
/// error: the process that saw it knows.
void retire(const std::string &directory, const DeviceInfo &);
/// The sentence; empty when it may be used.
std::string why_retired(const std::string &directory, const DeviceInfo &);
/// All of them, by address.
std::vector<RetiredGpu> retired_gpus(const std::string &directory);

}  // namespace warpgrade::gpu
