#include "plan/launch_checks.hpp"

#include <algorithm>

#include "ptx/device_properties.hpp"

namespace warpgrade::plan {

void LaunchChecks::note(const SetFunctionAttribute &set, std::uint8_t device) {
  if (set.attribute == FunctionAttribute::max_dynamic_shared_bytes)
    dynamic_shared_[{device, set.kernel}] = static_cast<std::uint64_t>(std::max(set.value, 0));
  if (set.attribute == FunctionAttribute::large_clusters)
    large_clusters_[{device, set.kernel}] = set.value != 0;
}

std::optional<std::string> LaunchChecks::why_not(const Launch &launch, std::uint8_t device) const {
  const auto layout = std::find_if(kernels_.begin(), kernels_.end(),
                                   [&](const KernelLayout &k) { return k.name == launch.kernel; });
  const KernelLayout needs = layout == kernels_.end() ? KernelLayout{} : *layout;
  const auto raised = dynamic_shared_.find({device, launch.kernel});
  const ptx::LaunchShape shape{{launch.grid.x, launch.grid.y, launch.grid.z},
                               {launch.block.x, launch.block.y, launch.block.z},
                               launch.dynamic_shared_bytes};
  if (auto refusal = ptx::check_launch(shape,
                                       {needs.static_shared_bytes, needs.max_threads, 0,
                                        raised == dynamic_shared_.end() ? 0 : raised->second},
                                       ptx::block_limits(device_)))
    return std::move(refusal->words);
  const auto large = large_clusters_.find({device, launch.kernel});
  return ptx::check_cluster(shape.grid, launch.cluster, needs.cluster,
                            large != large_clusters_.end() && large->second);
}

std::optional<RefusedLaunch> first_refused_launch(const LaunchPlan &plan,
                                                  std::span<const KernelLayout> kernels,
                                                  const DeviceProperties &device) {
  LaunchChecks checks(kernels, device);
  std::uint8_t number = 0;  // of the device of the stream in use
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    if (const auto *set = std::get_if<SetFunctionAttribute>(&plan.operations[i])) checks.note(*set, number);
    if (const auto *use = std::get_if<UseStream>(&plan.operations[i]))
      number = plan.streams.at(use->stream).device;
    const auto *launch = std::get_if<Launch>(&plan.operations[i]);
    if (launch == nullptr) continue;
    if (auto why = checks.why_not(*launch, number)) return RefusedLaunch{i, std::move(*why)};
  }
  return std::nullopt;
}

}  // namespace warpgrade::plan
