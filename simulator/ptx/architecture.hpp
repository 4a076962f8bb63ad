// Names of architectures: "compute_90" for device code, "sm_90" for GPUs.
#pragma once

#include <string>
#include <string_view>

namespace warpgrade::ptx {

/// What device code is compiled for.
struct Architecture {
  int capability = 0;  ///< 90 of "compute_90"; 0 if the name is not one
  /// The a of "compute_90a": with what only that generation has, such as wgmma. Other GPUs cannot run it.
  bool exact = false;

  explicit Architecture(std::string_view name);
  bool runs_on(int major, int minor) const;
  /// "sm_90a": the machine code of a GPU that it runs on.
  std::string machine_code(int major, int minor) const;
};

}  // namespace warpgrade::ptx
