// What the host sees of a kernel and of a device: the layout of arguments, and the figures of a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/launch_check.hpp"

namespace warpgrade::ptx {

/// How a kernel's arguments are packed. The trusted side takes it from the PTX and passes it to the worker,
/// because a launch has only `void **args` and no sizes.
struct ParameterLayout {
  std::uint32_t offset = 0, size = 0;
  bool operator==(const ParameterLayout &) const = default;
};
struct KernelLayout {
  std::string name;  ///< mangled
  std::uint32_t argument_bytes = 0;
  std::vector<ParameterLayout> parameters;
  // For cudaFuncGetAttributes and the launch checks; 0 if unknown.
  std::uint32_t static_shared_bytes = 0, local_bytes = 0, registers = 0;
  std::uint32_t max_threads = 0;  ///< of __launch_bounds__
  ClusterShape cluster{};         ///< of __cluster_dims__; zeros if not given
  bool operator==(const KernelLayout &) const = default;
};

/// The GPU that the launcher sees.
struct DeviceProperties {
  std::string name = "Warpgrade simulator";
  std::int32_t major = 8, minor = 0;
  std::int32_t multiprocessors = 108;
  std::int32_t max_threads_per_block = 1024, max_threads_per_multiprocessor = 2048;
  std::int32_t registers_per_block = 65536, registers_per_multiprocessor = 65536;
  std::uint64_t shared_bytes_per_block = 49152, shared_bytes_per_block_optin = 166912,
                shared_bytes_per_multiprocessor = 167936;
  std::uint64_t global_bytes = std::uint64_t{16} << 30, constant_bytes = 65536;
  std::int32_t l2_bytes = 40 << 20, memory_bus_bits = 5120, clock_khz = 1410000, memory_clock_khz = 1215000;
  bool operator==(const DeviceProperties &) const = default;
};

/// The simulator's device for code compiled for this compute capability, such as 90: that of the defaults
/// above, and from 9.0 on one like an H100.
inline DeviceProperties simulated_device(int capability) {
  DeviceProperties device;
  if (capability < 90) return device;
  device.major = capability / 10;
  device.minor = capability % 10;
  device.multiprocessors = 132;
  device.shared_bytes_per_block_optin = 227 << 10;
  device.shared_bytes_per_multiprocessor = 228 << 10;
  device.l2_bytes = 50 << 20;
  device.clock_khz = 1980000;
  device.memory_clock_khz = 2619000;
  return device;
}

/// The limits of a block on that device.
inline BlockLimits block_limits(const DeviceProperties &device) {
  return {static_cast<std::uint64_t>(device.max_threads_per_block),
          static_cast<std::uint64_t>(device.registers_per_block), device.shared_bytes_per_block,
          device.shared_bytes_per_block_optin};
}

}  // namespace warpgrade::ptx
