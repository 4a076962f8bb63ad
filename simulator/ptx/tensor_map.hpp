// Tensor maps: how bulk copies of compute capability 9.0 walk through a tensor in global memory. Plain C++
// without libraries. CUDA leaves open what the 128 bytes of a CUtensorMap hold; these are ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace warpgrade::ptx {

/// What a program gives cuTensorMapEncodeTiled. Numbers of types and modes are those of cuda.h.
struct TensorMap {
  static constexpr std::size_t bytes = 128, alignment = 64;
  static constexpr std::uint32_t most_rank = 5;

  std::uint64_t address = 0;  ///< of the first element, in global memory
  std::uint32_t type = 0;     ///< CUtensorMapDataType
  std::uint32_t rank = 1;
  std::array<std::uint64_t, most_rank> dimensions{};   ///< in elements; the first one is contiguous in memory
  std::array<std::uint64_t, most_rank - 1> strides{};  ///< in bytes, of all dimensions but the first
  std::array<std::uint32_t, most_rank> box{};          ///< in elements
  std::array<std::uint32_t, most_rank> element_strides{};
  std::uint32_t interleave = 0, swizzle = 0, promotion = 0, fill = 0;

  std::uint32_t element_bytes() const;
  bool is_float() const;
  /// How many elements a copy takes along a dimension.
  std::uint32_t count(std::uint32_t dimension) const;
  /// Of one copy, with what lies outside the tensor.
  std::uint32_t box_bytes() const;
  /// What arrives in place of 2 bytes that lie outside the tensor: 0, or with `fill` a NaN for each 16 bits,
  /// whatever the type. Of an H100.
  std::uint16_t outside() const { return fill != 0 ? 0x7FF7 : 0; }
  /// Changes elements on their way from global memory to shared memory, and not on the way back: tf32 is rounded to
  /// nearest, ties to even, and every NaN becomes 0x7fffe000. Types that flush subnormals to zero do not flush them
  /// here. Measured on an H100, as CUDA does not say it. `size`: bytes, a multiple of element_bytes().
  void arrive(std::byte *elements, std::uint32_t size) const;
  /// Where the byte at an address in shared memory goes: 16-byte pieces change places with others of their
  /// row of 32, 64 or 128 bytes.
  std::uint64_t swizzled(std::uint64_t shared_address) const;
  /// Where byte `offset` of a box goes that begins at this address of shared memory. With a swizzle, each row begins
  /// at a multiple of 32, 64 or 128 bytes, also if it is shorter (measured on an H100); else rows follow each other.
  std::uint64_t place(std::uint64_t shared_address, std::uint64_t offset) const;
  bool operator==(const TensorMap &) const = default;
};

/// Why cuTensorMapEncodeTiled refuses it, as one sentence; empty if it does not.
std::string why_invalid(const TensorMap &);
/// Why a map that CUDA accepts cannot be used here; empty if it can.
std::string why_unsupported(const TensorMap &);

/// `to` has TensorMap::bytes; the address is the second word of 8 bytes.
void encode(const TensorMap &, std::byte *to);
/// Nothing if the bytes were not made by encode().
std::optional<TensorMap> decode_tensor_map(const std::byte *from);

}  // namespace warpgrade::ptx
