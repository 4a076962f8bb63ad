// GPUs on which a killed process did not end. No process on this machine gives them work until a person has
// looked at them: each is noted in a file next to its lock (gpu/device_lock.hpp).
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu.hpp"

namespace warpgrade::gpu {

/// A GPU that is out of use, in a sentence for a person: which one, since when, and what to do.
struct RetiredGpu {
  std::string pci_bus_id;
  std::string sentence;
};

/// Notes it, until the machine is restarted or the file is removed. A file that cannot be written is not an
/// error: the process that saw the problem knows.
void retire(const std::string &directory, const DeviceInfo &);
/// The sentence; empty if the GPU may be used.
std::string why_retired(const std::string &directory, const DeviceInfo &);
/// All of them, by address.
std::vector<RetiredGpu> retired_gpus(const std::string &directory);

}  // namespace warpgrade::gpu
