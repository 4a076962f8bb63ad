// The operands of a library's routine on the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/arena.hpp"
#include "gpu/library_routine.hpp"
#include "gpu/referee_device.hpp"

namespace warpgrade::gpu {

/// Keeps the operands as they were uploaded, and puts copies of them at other places for each run, as the
/// buffers of a student's kernel are. All of it throws DriverError.
class RoutineDevice {
 public:
  /// memory_of  the device of each operand
  RoutineDevice(const Context &context, const std::vector<std::uint64_t> &bytes,
                const std::vector<CUdevice> &memory_of);

  void upload(std::span<const std::span<std::byte>> from);
  /// The same from memory of the GPU.
  void upload(std::span<const DeviceSpan> from);
  /// The first operand is made of these, over and over.
  void repeat(std::span<const DeviceSpan> from);
  /// Fresh copies of what was uploaded, at places that `random` decides.
  std::vector<DeviceSpan> place(std::uint64_t random);
  /// The copies, as they are now.
  void download(std::span<const std::span<std::byte>> to);

 private:
  struct Buffer {
    DeviceMemory uploaded;
    Arena placed;
    std::uint64_t bytes;
  };
  const Context &context_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace warpgrade::gpu
