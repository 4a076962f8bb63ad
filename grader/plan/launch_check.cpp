#include "plan/launch_check.hpp"

#include <algorithm>

namespace warpgrade::plan {
namespace {

std::string text(const Dim3 &d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

}  // namespace

std::optional<std::string> refusal_of_launch(const Dim3 &grid, const Dim3 &block,
                                             std::uint64_t dynamic_shared_bytes, const KernelLayout &kernel,
                                             std::uint64_t max_dynamic_shared,
                                             const DeviceProperties &device) {
  // Compute capabilities from 3.0 to 12.0 agree on these; the CUDA programming guide, technical
  // specifications.
  constexpr std::uint32_t grid_x = 0x7fffffff, grid_yz = 65535, block_xy = 1024, block_z = 64;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return "the grid " + text(grid) + " has no blocks";
  if (block.x == 0 || block.y == 0 || block.z == 0) return "the block " + text(block) + " has no threads";
  if (grid.x > grid_x || grid.y > grid_yz || grid.z > grid_yz) {
    return "the grid " + text(grid) + " is larger than (2147483647, 65535, 65535)";
  }
  if (block.x > block_xy || block.y > block_xy || block.z > block_z) {
    return "the block " + text(block) + " is larger than (1024, 1024, 64) in one direction";
  }
  const auto limit = static_cast<std::uint64_t>(std::max(device.max_threads_per_block, 0));
  if (block.count() > limit) {
    return "the block " + text(block) + " has " + std::to_string(block.count()) + " threads; at most " +
           std::to_string(limit) + " are possible";
  }
  if (kernel.max_threads != 0 && block.count() > kernel.max_threads) {
    return "the block " + text(block) + " has " + std::to_string(block.count()) +
           " threads; __launch_bounds__ allows " + std::to_string(kernel.max_threads);
  }
  const std::uint64_t allowed =
      std::max(device.shared_bytes_per_block, kernel.static_shared_bytes + max_dynamic_shared);
  if (kernel.static_shared_bytes + dynamic_shared_bytes > allowed) {
    return std::to_string(kernel.static_shared_bytes + dynamic_shared_bytes) +
           " bytes of shared memory per block are asked for; " + std::to_string(allowed) + " are allowed" +
           (max_dynamic_shared == 0 ? " unless cudaFuncSetAttribute raises it" : "");
  }
  return std::nullopt;
}

}  // namespace warpgrade::plan
