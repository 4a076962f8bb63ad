// The resident blocks of a cluster: the barrier at which they meet, and what it orders. Internal to simt.
//
// Blocks of a cluster take turns on one worker and share its clock (Shadow::time), so the time of a shadow word
// identifies its block (Shadow::block_at). When a phase of the barrier ends, the horizon of each warp says what
// it had done when it arrived: threads that wait for the phase observe that. What mbarriers release of other
// blocks is in Seen::others. Flags with fences count for the whole cluster, which orders more than the
// standard does, so that no report is false.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/checks/seen.hpp"

namespace warpgrade::simt {

class BlockRun;

struct Cluster {
  std::vector<BlockRun *> blocks;      ///< by rank
  std::vector<std::uint64_t> numbers;  ///< of these blocks, in the grid
  std::uint32_t phase = 0;             ///< how many phases have ended
  std::uint32_t all_before = 0;        ///< what was done before this time is visible to all
  /// Of a phase, at [phase % 2][rank * 32 + warp]: what the warp did before that time is visible. No warp is
  /// more than one phase behind.
  std::array<std::vector<std::uint32_t>, 2> horizons;

  void begin();
  std::size_t size() const { return numbers.size(); }
  /// The rank of a block of the grid; size() if it is in another cluster.
  std::size_t rank_of(std::uint64_t block) const;
};

}  // namespace warpgrade::simt
