// Which launches no GPU starts. Plain C++ without libraries: the recorder's worker is linked with it too.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace warpgrade::ptx {

struct LaunchShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint64_t dynamic_shared = 0;  ///< bytes
};

/// What one block may have on a device; compute capability 9.0 unless set.
struct BlockLimits {
  std::uint64_t threads = 1024, registers = 65536;
  std::uint64_t shared = 48 << 10, shared_optin = 227 << 10;  ///< bytes, without and with the attribute
};

/// What a compiled kernel needs, and what the program allowed it.
struct KernelNeeds {
  std::uint64_t static_shared = 0;       ///< bytes
  std::uint32_t max_threads = 0;         ///< of __launch_bounds__, 0 without
  std::uint32_t registers = 0;           ///< per thread, 0 if not known
  std::uint64_t max_dynamic_shared = 0;  ///< the function attribute in bytes, 0 if never set
};

/// What a launch exceeds: each has an error code of its own.
enum class LaunchLimit { configuration, launch_bounds, registers, shared_memory, cluster };

struct LaunchRefusal {
  LaunchLimit limit = LaunchLimit::configuration;
  std::string words;  ///< one sentence
};

/// Blocks of a cluster, with zeros where nobody has said anything.
using ClusterShape = std::array<std::uint32_t, 3>;
/// What a launch has: as it asks for, or as the kernel is compiled (__cluster_dims__), or one block.
ClusterShape cluster_of(const ClusterShape &asked, const ClusterShape &compiled);
/// Why a GPU would not start a grid in these clusters, in a sentence. large: the kernel is allowed clusters
/// of more than 8 blocks
std::optional<std::string> check_cluster(const std::array<std::uint32_t, 3> &grid, const ClusterShape &asked,
                                         const ClusterShape &compiled, bool large);

/// Nothing if a GPU would start it.
std::optional<LaunchRefusal> check_launch(const LaunchShape &, const KernelNeeds &, const BlockLimits & = {});

}  // namespace warpgrade::ptx
