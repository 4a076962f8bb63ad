// Requests of warps, lane by lane: the source of drawings of lanes over sectors, banks and matrices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "counters/diagnostic.hpp"

namespace warpgrade::simt {

/// A request of one load, store or asynchronous copy (its reading side): the one with the most active
/// lanes, of those the first of the lowest block. Collected only if Options::sample_lanes is set. Unrolled
/// copies of a line count as separate instructions.
struct LaneSample {
  SourceLine at;
  ptx::Space space = ptx::Space::global;  ///< global or shared
  bool store = false;
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;   ///< in its block
  std::uint32_t mask = 0;   ///< active lanes
  std::uint32_t bytes = 0;  ///< accessed by each lane; 0: an atomic operation, kept with a path alone
  std::string buffer;       ///< allocation or shared variable of the first active lane, empty if unknown
  /// Of each lane, -1 where inactive. Global: bytes from the start of `buffer`, which is aligned to
  /// 512. Shared: bytes from the start of the variable of the lowest lane, or from up to 127 bytes before it, so
  /// that bank = offset / 4 mod 32.
  std::array<std::int64_t, 32> offsets{};
  std::uint32_t cost = 0;   ///< sectors (global) or wavefronts (shared) of this request
  std::uint32_t ideal = 0;  ///< its cost without waste: sectors for its distinct bytes, or phases
  /// Of an asynchronous copy: where its pieces go, in bytes from the start of shared memory. Of cp.async, by
  /// lane, as `offsets`. Of a bulk copy of a tensor, whose `space` is shared and which has no `offsets`:
  /// pieces of 16 bytes, row by row of its box, `across` to a row; the first most_written of them.
  std::vector<std::int64_t> written;
  std::uint32_t across = 0;
  static constexpr std::size_t most_written = 256;
  bool operator==(const LaneSample &) const = default;
};

/// Which requests to keep, in the order in which they are made: those of one block.
struct TraceOptions {
  std::uint64_t block = 0;     ///< its number in the grid, x counting fastest
  std::size_t most = 1 << 17;  ///< requests; later ones are dropped
};

/// A request of the traced block. `phase` counts the barriers that the block had passed before.
struct TracedRequest : LaneSample {
  std::uint64_t phase = 0;
  bool operator==(const TracedRequest &) const = default;
};

}  // namespace warpgrade::simt
