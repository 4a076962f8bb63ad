// Products of warpgroups, wgmma.mma_async: four warps multiply a matrix of 64 rows, in registers or in shared
// memory, by one in shared memory. Internal to simt.
//
// A product is computed when a warp issues it, and counts as in flight until the warp has waited for its
// group. Until then, its registers must not be accessed, and its shared memory must not change. Warps continue
// after a wait once all four have issued the awaited products, because they read the same memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "simt/tensor.hpp"

namespace warpgrade::simt {

struct Op;

/// 16 bytes of shared memory that a product reads, and their writers when it was issued.
struct ProductSource {
  std::uint32_t offset = 0;
  std::uint64_t writers = 0;  ///< a sum of their cells
};

struct FlyingProduct {
  const Op *op = nullptr;
  std::uint32_t sequence = 0;  ///< the first product of a warp has 1
  std::uint32_t group = 0;
  bool committed = false;
  std::uint32_t time = 0;  ///< when it was issued
  bool verified = false;   ///< a warp of the warpgroup has waited for it
  std::vector<ProductSource> sources;
};

/// What one warp has issued.
struct WarpProducts {
  std::vector<FlyingProduct> flying;
  std::uint32_t issued = 0, finished = 0;  ///< sequences
  std::uint32_t groups = 0;                ///< committed so far
  bool fenced = false, fenced_since_wait = false;
  // By place in Effects: the last product that writes the register, or reads it as a part of A; and the
  // operation + 1 that wrote it since the last wgmma.fence.
  std::vector<std::uint32_t> results, fragments, written;
};

/// Which threads know that products have completed, so that their shared memory is free: those that have waited
/// for them, or acquired this through an mbarrier or a barrier. Sequences, by warpgroup.
constexpr std::uint32_t most_warpgroups = 8;
using KnownProducts = std::array<std::uint32_t, most_warpgroups>;

struct ProductsOfBlock {
  bool followed = false;                        ///< no other way to release is used
  std::vector<KnownProducts> known;             ///< by warp
  std::map<std::uint32_t, KnownProducts> told;  ///< by offset of the mbarrier, or id of the barrier
  std::vector<KnownProducts> readers;           ///< by piece of 16 bytes of shared memory
  std::array<std::vector<const Op *>, most_warpgroups> issued;  ///< by sequence - 1
};

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
