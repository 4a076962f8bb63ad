// A GPU of paper: children that open a driver, a cuBLAS and an NVML without a GPU.
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu.hpp"

namespace warpgrade::gpu {

inline ChildOptions paper(std::vector<std::string> environment = {}) {
  ChildOptions options;
  options.driver_library = WARPGRADE_FAKE_DRIVER;
  options.library_directories = {WARPGRADE_FAKE_CUBLAS};
  options.nvml_library = WARPGRADE_FAKE_NVML;
  options.environment = std::move(environment);
  return options;
}

inline DeviceInfo paper_gpu() {
  DeviceInfo device;
  device.name = "Paper GPU";
  return device;
}

}  // namespace warpgrade::gpu
