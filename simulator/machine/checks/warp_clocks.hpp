// What each warp of a block has acquired from the others since the block's last barrier. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/checks/seen.hpp"

namespace warpgrade::simt {

struct Warp;

/// What some lanes of a warp observe that the others do not.
struct SeenBySome {
  std::uint32_t lanes = 0;
  Seen seen;
};

class WarpClocks {
 public:
  static constexpr std::uint32_t any_lane = 32;
  /// A barrier of the block, or its begin: nobody has acquired anything since.
  void clear() { active_ = false; }
  /// Something is about to be released or acquired. The clocks of all warps are empty if they were not in use.
  void use(std::size_t warps);
  bool active() const { return active_; }

  Seen &of(std::uint32_t warp) { return all_[warp]; }
  const Seen &of(std::uint32_t warp) const { return all_[warp]; }
  const SeenBySome &of_some(std::uint32_t warp) const { return some_[warp]; }
  /// For Context::seen; null: nothing was acquired.
  const std::uint32_t *times_of(std::uint32_t warp) const {
    return active_ ? all_[warp].before.data() : nullptr;
  }

  /// Lanes of the warp acquire it. all: they count as the whole warp
  void acquire(const Warp &, std::uint32_t lanes, bool all, const Seen &);
  /// What some lanes of the warp have acquired, these have too.
  void share(const Warp &, std::uint32_t lanes);
  /// What one warp has acquired of other blocks of the cluster, all have.
  void share_others();

  /// Whether the access of a shadow word, by a warp of this block, happens before what a lane does now. any_lane:
  /// whether it would, had each warp been synced before one of its lanes arrived at an mbarrier, or after one waited.
  bool knows(std::uint64_t cell, std::uint32_t warp, std::uint32_t lane) const;
  /// The same for a copy that has arrived.
  bool knows_copy(std::uint64_t writer, std::uint32_t warp, std::uint32_t lane) const;
  /// The same for an access by another block of the cluster. Of a copy that an mbarrier of that block has counted:
  /// whether any later work there happens before.
  bool knows_of_block(std::uint64_t cell, std::uint64_t block, std::uint32_t warp) const;
  bool knows_any_block(std::uint32_t warp) const;
  /// The latest work of a warp that any lane of this one has acquired.
  std::uint32_t latest(std::uint32_t warp, std::uint32_t of) const;

 private:
  bool active_ = false;
  std::vector<Seen> all_;         // by warp
  std::vector<SeenBySome> some_;  // by warp
};

}  // namespace warpgrade::simt
