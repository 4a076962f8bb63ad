#include "ptx/launch_check.hpp"

#include <algorithm>

namespace warpgrade::ptx {
namespace {

std::string dimensions(const std::array<std::uint32_t, 3> &d) {
  return std::to_string(d[0]) + " x " + std::to_string(d[1]) + " x " + std::to_string(d[2]);
}

std::string wrong_grid(const std::array<std::uint32_t, 3> &grid) {
  constexpr std::uint32_t most[] = {2147483647, 65535, 65535};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (grid[axis] > most[axis])
      return "a grid of " + dimensions(grid) + " blocks: gridDim." + "xyz"[axis] + " is " +
             std::to_string(grid[axis]) + "; at most " + std::to_string(most[axis]) + " is possible" +
             (axis == 0 ? "" : " (2147483647 for gridDim.x)");
  return {};
}

/// Compute capabilities 3.0 to 12.0 agree on these (CUDA programming guide, technical specifications).
std::string wrong_shape(const LaunchShape &l, std::uint64_t threads, const BlockLimits &limits) {
  const auto &[grid, block, shared] = l;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return "a grid of " + dimensions(grid) + " blocks is empty; is the number of blocks rounded down?";
  if (threads == 0) return "a block of " + dimensions(block) + " threads is empty";
  if (threads > limits.threads || block[0] > 1024 || block[1] > 1024)
    return "a block of " + dimensions(block) + " has " + std::to_string(threads) + " threads; at most " +
           std::to_string(limits.threads) + " are possible";
  if (block[2] > 64) return "blockDim.z is " + std::to_string(block[2]) + "; at most 64 is possible";
  return wrong_grid(grid);
}

constexpr std::uint64_t portable_cluster = 8, largest_cluster = 16;

}  // namespace

ClusterShape cluster_of(const ClusterShape &asked, const ClusterShape &compiled) {
  return asked[0] != 0 ? asked : compiled[0] != 0 ? compiled : ClusterShape{1, 1, 1};
}

std::optional<std::string> check_cluster(const std::array<std::uint32_t, 3> &grid, const ClusterShape &asked,
                                         const ClusterShape &compiled, bool large) {
  if (asked[0] != 0 && compiled[0] != 0 && asked != compiled)
    return "a launch in clusters of " + dimensions(asked) +
           " blocks, but the kernel has __cluster_dims__ of " + dimensions(compiled);
  const ClusterShape shape = cluster_of(asked, compiled);
  const std::uint64_t blocks = std::uint64_t{shape[0]} * shape[1] * shape[2];
  if (blocks == 0) return "a cluster of " + dimensions(shape) + " blocks is empty";
  if (shape[0] > largest_cluster || shape[1] > largest_cluster || shape[2] > largest_cluster ||
      blocks > largest_cluster)
    return "a cluster of " + dimensions(shape) + " blocks is too large; at most 16 blocks are possible";
  if (blocks > portable_cluster && !large)
    return "a cluster of " + dimensions(shape) +
           " blocks has more than 8, which the kernel has to be allowed first: cudaFuncSetAttribute with "
           "cudaFuncAttributeNonPortableClusterSizeAllowed";
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (grid[axis] % shape[axis] != 0)
      return "a grid of " + dimensions(grid) + " blocks cannot be divided into clusters of " +
             dimensions(shape);
  return std::nullopt;
}

std::optional<LaunchRefusal> check_launch(const LaunchShape &l, const KernelNeeds &kernel,
                                          const BlockLimits &limits) {
  const std::uint64_t threads = std::uint64_t{l.block[0]} * l.block[1] * l.block[2];
  if (std::string words = wrong_shape(l, threads, limits); !words.empty())
    return LaunchRefusal{LaunchLimit::configuration, std::move(words)};
  if (kernel.max_threads != 0 && threads > kernel.max_threads)
    return LaunchRefusal{LaunchLimit::launch_bounds, "a block of " + std::to_string(threads) +
                                                         " threads, but __launch_bounds__ promises at most " +
                                                         std::to_string(kernel.max_threads)};
  const std::uint64_t registers = kernel.registers * ((threads + 31) / 32 * 32);
  if (registers > limits.registers)
    return LaunchRefusal{LaunchLimit::registers, "a block of " + std::to_string(threads) + " threads with " +
                                                     std::to_string(kernel.registers) +
                                                     " registers each needs " + std::to_string(registers) +
                                                     ", more than " + std::to_string(limits.registers)};
  const std::uint64_t shared = kernel.static_shared + l.dynamic_shared;
  const auto too_much = [](std::uint64_t bytes, const char *kind, std::uint64_t most, std::string more) {
    return LaunchRefusal{LaunchLimit::shared_memory, "a block needs " + std::to_string(bytes) + " bytes of " +
                                                         kind + "; at most " + std::to_string(most) +
                                                         " are possible" + more};
  };
  if (kernel.static_shared > limits.shared)
    return too_much(kernel.static_shared, "static shared memory", limits.shared, "");
  if (l.dynamic_shared > limits.shared_optin || shared > limits.shared_optin)
    return too_much(std::max(shared, l.dynamic_shared), "shared memory", limits.shared_optin, "");
  if (shared > limits.shared && l.dynamic_shared > kernel.max_dynamic_shared)
    return too_much(shared, "shared memory",
                    std::max(limits.shared, kernel.static_shared + kernel.max_dynamic_shared),
                    ", unless cudaFuncSetAttribute raises this limit (up to " +
                        std::to_string(limits.shared_optin) + ")");
  return std::nullopt;
}

}  // namespace warpgrade::ptx
