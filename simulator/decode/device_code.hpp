// Device code ready to be launched on any number of devices.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ptx/module.hpp"

namespace warpgrade::simt {

struct Program;

/// A module whose kernels are decoded when they are first launched, and once for all devices that load it.
/// Threads may share it.
class DeviceCode {
 public:
  explicit DeviceCode(std::shared_ptr<const ptx::Module>);
  explicit DeviceCode(ptx::Module module)
      : DeviceCode(std::make_shared<const ptx::Module>(std::move(module))) {}

  const ptx::Module &module() const { return *module_; }
  /// throws as decode() does
  std::shared_ptr<const Program> program(const std::string &kernel) const;

 private:
  std::shared_ptr<const ptx::Module> module_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const Program>> programs_;
};

}  // namespace warpgrade::simt
