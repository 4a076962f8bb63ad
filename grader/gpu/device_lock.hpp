// One measurement on a GPU at a time, whoever measures, and nothing else beside it.
#pragma once

#include <string>

#include "gpu/gpu.hpp"

namespace warpgrade::gpu {

/// The beginning of the names of a GPU's files, the same for every process: "gpu-0000-17-00-0".
std::string lock_name(const DeviceInfo &);

/// Holds one GPU: alone, to measure, or together with others, to run what is not timed. Files in `directory`
/// that all graders of a machine share; a process that ends lets go by itself.
class DeviceLock {
 public:
  enum class Use { alone, together };
  /// Waits until it has the GPU or `wait_seconds` are over (then held() is false). Whoever waits to have it
  /// alone goes before all who come later. throws std::system_error when a file can't be opened
  DeviceLock(const std::string &directory, const DeviceInfo &device, double wait_seconds,
             Use use = Use::alone);
  bool held() const { return file_.get() >= 0; }

 private:
  Descriptor file_;
};

}  // namespace warpgrade::gpu
