// The happens-before order through words of global memory, for the warps of one block: order.hpp says by which clocks.
// docs/memory-model.md is the written form. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/checks/logical_time.hpp"
#include "machine/checks/warp_clocks.hpp"
#include "machine/checks/watch.hpp"

namespace warpgrade::simt {

/// A strong access or an atomic of one lane.
struct StrongAccess {
  const Site &site;
  std::uint32_t index = 0;  ///< of the site
  std::uint32_t lane = 0;
  std::uint64_t address = 0;
};

class GlobalOrder {
 public:
  /// tracked: accesses to global memory may order threads, and races are checked
  GlobalOrder(const Program &, LogicalTime &, const WarpClocks &, Shadow &, bool tracked);
  /// A block begins. alone: the scope of a cluster contains no other block
  void begin(std::uint64_t block, std::size_t warps, bool alone);
  bool tracked() const { return tracked_; }
  const WarpOrder &of(std::uint32_t warp) const { return warps_[warp]; }
  WarpOrder &of(std::uint32_t warp) {
    shared_ = false;
    return warps_[warp];
  }

  void fence(std::uint32_t warp, Scope);
  /// changes: the word gets another value
  void access(std::uint32_t warp, const StrongAccess &, bool reads, bool writes, bool changes);
  /// A barrier of the block: what one warp has released or acquired, all have.
  void share();

  /// Whether an access by a warp of this block happens before what the warp does now.
  bool knows(std::uint32_t warp, std::uint32_t who, std::uint32_t time) const {
    return tracked_ && warps_[warp].known.knows(block_, who, time);
  }
  bool knows_anything(std::uint32_t warp) const { return tracked_ && !warps_[warp].known.empty(); }
  bool any_warp_knows_anything() const;
  /// After a barrier of the block: the time before which all accesses happened before what any warp of it does now, those
  /// of other blocks among them; 0: none is known to have.
  std::uint32_t all_known_before() const;
  /// What is known of an access by another warp, of any block. site: the strong write that should have released it
  Knowledge knowledge_of(std::uint64_t cell, std::uint32_t warp, std::uint32_t *site) const;
  std::uint64_t block_of(std::uint64_t cell) const { return shadow_.block_at(cell); }
  /// Whether the strong write at a site came after a fence of the scope of the block, or has that scope.
  bool has_weak_release(std::uint32_t site) const;

 private:
  bool is_narrow(Scope scope) const { return scope == Scope::block || (scope == Scope::cluster && alone_); }
  /// Adds what the warp has done so far: its own accesses before now, and its block's before the last barrier.
  void add_own(Clock &, std::uint32_t warp, std::uint32_t site) const;
  void acquire(WarpOrder &, const Flag &, const Site &) const;

  const Program &program_;
  LogicalTime &time_;
  const WarpClocks &clocks_;
  Shadow &shadow_;
  const bool tracked_;
  bool alone_ = true;
  std::uint64_t block_ = 0;
  std::vector<WarpOrder> warps_;
  bool shared_ = true;  ///< all warps know the same
  Clock done_;          // of the last write; a member, so that it keeps its memory
};

}  // namespace warpgrade::simt
