// Device memory for one buffer of a plan, with guard zones that show writes past either end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/driver.hpp"

namespace warpgrade::gpu {

/// What lies in guard zones. As a float it is a NaN, so that what is read out of bounds spoils the result.
inline constexpr std::uint32_t guard_word = 0x7fbadbad;
/// At least this much guard before and after a buffer.
inline constexpr std::size_t guard_bytes = 64 << 10;
/// Buffers begin at a random multiple of this in their arena; what cudaMalloc promises is 256.
inline constexpr std::size_t placement_step = 512;

/// Bytes of a guard zone that no longer hold the pattern.
struct GuardDamage {
  std::uint64_t before = 0, after = 0;                  ///< bytes overwritten on either side
  std::uint64_t nearest_before = 0, nearest_after = 0;  ///< distance of the nearest one, 1 = adjacent
  bool any() const { return before + after > 0; }
};

/// One allocation, in an address range of its own with unmapped addresses on both sides where the driver can
/// do that: a store that misses the guard zones faults instead of hitting another buffer.
class Arena {
 public:
  /// throws DriverError, CUDA_ERROR_OUT_OF_MEMORY among them
  Arena(const Context &context, std::size_t capacity);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  std::size_t capacity() const { return capacity_; }
  /// Puts a buffer of `bytes` <= capacity somewhere that depends on `random`; fills all around it with the
  /// guard pattern and the buffer with 0xff, asynchronously. Gives its address.
  CUdeviceptr place(std::size_t bytes, std::uint64_t random);
  CUdeviceptr address() const { return data_; }
  /// Reads the guard zones back; throws DriverError.
  GuardDamage damage() const;

 private:
  void map(std::size_t bytes);
  void release();  ///< whatever there is so far

  const Context &context_;
  std::size_t capacity_ = 0;  ///< the largest buffer that fits with its guards and room to move
  std::size_t mapped_ = 0;    ///< all bytes at base_
  CUdeviceptr reserved_ = 0, base_ = 0, data_ = 0;
  std::size_t reserved_bytes_ = 0;
  std::optional<CUmemGenericAllocationHandle> physical_;
  std::size_t bytes_ = 0;
};

}  // namespace warpgrade::gpu
