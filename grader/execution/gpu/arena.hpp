// Device memory for one buffer of a plan, with guard zones that show writes past either end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "gpu/arena_damage.hpp"
#include "gpu/driver.hpp"

namespace warpgrade::gpu {

/// The contents of guard zones. As a float it is a NaN, so that an out-of-bounds read spoils the result.
inline constexpr std::uint32_t guard_word = 0x7fbadbad;
/// At least this much guard before and after a buffer.
inline constexpr std::size_t guard_bytes = 64 << 10;
/// Buffers begin at a random multiple of this in their arena; cudaMalloc guarantees 256.
inline constexpr std::size_t placement_step = 512;

/// Physical memory in an address range of its own with unmapped addresses on both sides, if the driver
/// supports that: a store far outside a buffer then faults instead of hitting another one.
class Mapping {
 public:
  enum class Sharing : bool { none, with_another_process };
  /// At least `bytes`; of another device than the context's if `memory_of` says so. Throws DriverError,
  /// CUDA_ERROR_OUT_OF_MEMORY among them.
  Mapping(const Context &context, std::size_t bytes, Sharing sharing,
          std::optional<CUdevice> memory_of = std::nullopt);
  /// Memory of another process, whose mapping had `bytes` bytes. Throws DriverError.
  Mapping(const Context &context, std::size_t bytes, const Descriptor &memory);
  ~Mapping();
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;

  const Context &context() const { return context_; }
  CUdeviceptr base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  /// Whether kernels of another device may access it; at first, none may. Throws DriverError.
  void allow(CUdevice device, bool allowed);
  /// For another process; only with Sharing::with_another_process. Throws DriverError.
  Descriptor file() const;

 private:
  void map(const std::string &what);  ///< physical_ between unmapped addresses
  CUresult set_access(CUdevice device, CUmemAccess_flags flags) const;
  void release();  ///< whatever exists so far

  const Context &context_;
  std::size_t bytes_ = 0;
  CUdeviceptr reserved_ = 0, base_ = 0;
  std::size_t reserved_bytes_ = 0;
  std::optional<CUmemGenericAllocationHandle> physical_;
  std::set<CUdevice> allowed_;
};

/// One buffer with its guard zones.
class Arena {
 public:
  /// throws DriverError, CUDA_ERROR_OUT_OF_MEMORY among them
  Arena(const Context &context, std::size_t capacity, Mapping::Sharing sharing = Mapping::Sharing::none,
        std::optional<CUdevice> memory_of = std::nullopt);

  const Context &context() const { return context_; }
  std::size_t capacity() const { return capacity_; }
  const Mapping &mapping() const { return mapping_; }
  Mapping &mapping() { return mapping_; }
  /// Puts a buffer of `bytes` <= capacity at a place that depends on `random`; fills everything around it
  /// with the guard pattern and the buffer with 0xff, asynchronously. Returns its address.
  CUdeviceptr place(std::size_t bytes, std::uint64_t random);
  CUdeviceptr address() const { return data_; }
  std::uint64_t offset() const { return data_ - mapping_.base(); }  ///< of the buffer in its mapping
  /// Reads the guard zones back; throws DriverError.
  GuardDamage damage() const;

 private:
  const Context &context_;
  std::size_t capacity_ = 0;  ///< the largest buffer that fits with its guards and room to move
  Mapping mapping_;
  CUdeviceptr data_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace warpgrade::gpu
