// One measurement on a GPU at a time, whoever measures.
#pragma once

#include <string>

#include "gpu/gpu.hpp"

namespace warpgrade::gpu {

/// Holds one GPU for measuring: an exclusive lock on a file in `directory` that all graders of a machine
/// share.
class DeviceLock {
 public:
  /// Waits until it has the lock or `wait_seconds` are over (then held() is false).
  /// throws std::system_error when the file can't be opened
  DeviceLock(const std::string &directory, const DeviceInfo &device, double wait_seconds);
  ~DeviceLock();
  DeviceLock(DeviceLock &&other) noexcept;
  DeviceLock &operator=(DeviceLock &&) = delete;
  bool held() const { return file_ >= 0; }

 private:
  int file_ = -1;
};

}  // namespace warpgrade::gpu
