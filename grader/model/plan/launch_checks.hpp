// Finds launches of a plan that no GPU starts. A plan may contain such launches: the recorder records what the
// launcher requested, and judges of the plan say why it does not run.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "plan/plan.hpp"

namespace warpgrade::plan {

/// Follows the operations of a plan in order, since function attributes change what a launch may request.
class LaunchChecks {
 public:
  /// Both must live longer.
  LaunchChecks(std::span<const KernelLayout> kernels, const DeviceProperties &device)
      : kernels_(kernels), device_(device) {}

  void note(const SetFunctionAttribute &, std::uint8_t device);
  /// Why a GPU does not start this launch, in one sentence; nothing if it does. A launch of an unknown kernel is
  /// checked against the limits of the device only.
  std::optional<std::string> why_not(const Launch &, std::uint8_t device) const;

 private:
  std::span<const KernelLayout> kernels_;
  const DeviceProperties &device_;
  using OnDevice = std::pair<std::uint8_t, std::string>;  // a device and a kernel
  std::map<OnDevice, std::uint64_t> dynamic_shared_;      // bytes
  std::map<OnDevice, bool> large_clusters_;
};

struct RefusedLaunch {
  std::size_t operation = 0;  ///< its index in the plan
  std::string why;            ///< one sentence
  bool operator==(const RefusedLaunch &) const = default;
};
/// The first launch of the plan that no GPU starts.
std::optional<RefusedLaunch> first_refused_launch(const LaunchPlan &, std::span<const KernelLayout> kernels,
                                                  const DeviceProperties &);

}  // namespace warpgrade::plan
