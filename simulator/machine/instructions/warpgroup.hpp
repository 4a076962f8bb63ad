// The matrix descriptors of wgmma.mma_async, by which four warps multiply a matrix of 64 rows, in registers or in shared
// memory, by one in shared memory. Internal to simt.
#pragma once

#include <cstdint>

namespace warpgrade::simt {

/// The descriptor of a matrix in shared memory.
struct MatrixDescriptor {
  std::uint32_t start = 0, leading = 0, stride = 0;  ///< bytes
  std::uint32_t base =
      0;  ///< base offset: rows of 128 bytes from where the swizzle's pattern would begin by address
  std::uint32_t row = 16;  ///< bytes of a row of the swizzle: 16 (none), 32, 64, 128

  static MatrixDescriptor of(std::uint64_t bits);
  /// The place of 16 bytes in shared memory. By rows (K-major): piece `along` of line `line`, which is a row of
  /// A or a column of B. Otherwise: piece `line` of the lines, 16 bytes of them, at `along` of the other
  /// dimension.
  std::uint32_t place(std::uint32_t line, std::uint32_t along, bool by_lines) const;
};

}  // namespace warpgrade::simt
