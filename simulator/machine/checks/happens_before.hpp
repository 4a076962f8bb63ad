// The happens-before order of what the threads of a block do: which access comes before what a lane of the current warp
// does now. Barriers, fences, flags, locks and mbarriers report here; the race checks ask. docs/memory-model.md is the
// written form. Internal to simt.
//
// Parts: WarpClocks holds what each warp has acquired since the last barrier of the block; SharedFlags, GlobalOrder and
// MbarrierOrder hold what is released through words of shared memory, words of global memory, and mbarriers. Accesses
// are shadow words (context.hpp), "cells". A whole barrier of the block orders by time: Context::epoch_cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "machine/checks/mbarrier_order.hpp"
#include "machine/checks/updates_in_progress.hpp"
#include "machine/warp.hpp"

namespace warpgrade::simt {

class HappensBefore {
 public:
  static constexpr std::uint32_t any_lane = WarpClocks::any_lane;
  /// checked: races are checked. Without that, nothing is kept.
  HappensBefore(const Program &, Context &, SharedMemory &, Shadow &, bool checked);
  HappensBefore(const HappensBefore &) = delete;
  HappensBefore &operator=(const HappensBefore &) = delete;

  /// A block begins, of so many warps. cluster: how many blocks its cluster has; 0: the kernel uses no clusters
  void begin(std::uint64_t block, std::size_t warps, std::size_t cluster);
  /// A warp has its turn.
  void enter(Warp &);

  // What releases and acquires.
  /// Lanes of the warp have synchronized, and their masks do not name the others.
  void sync_lanes(const std::uint32_t (&masks)[32]);
  /// The same, of all lanes.
  void sync_warp() { clocks_.share(*warp_, full_mask); }
  void sync_warp(const Warp &w) { clocks_.share(w, full_mask); }
  void fence(Scope);
  /// A volatile or atomic access to shared memory.
  void access_shared(std::uint64_t offset, const Site &, bool reads, bool writes);
  /// An atomic or strong access to global memory, by one lane.
  void access_global(const StrongAccess &access, bool reads, bool writes, bool changes) {
    global.access(context_.warp, access, reads, writes, changes);
  }
  /// The warp arrives at a barrier and does not wait.
  void arrive(std::uint32_t barrier);
  /// A barrier that not all warps of the block pass: it orders what was done by those that have arrived, for those that
  /// waited.
  void pass(std::uint32_t barrier, const std::vector<Warp *> &waiting);
  /// A barrier of the whole block: what one warp has acquired, all have.
  void pass_all();
  void forget_arrivals() { at_barriers_.clear(); }
  /// What lanes of the warp release by arriving at an mbarrier now; time.advance() has to follow.
  Released release(std::uint32_t lanes, bool releases);
  /// waits: they do nothing else before they wait
  void arrive(std::uint32_t mbarrier, const Released &, std::uint32_t lanes, bool waits);
  /// The same of lanes of another block of the cluster.
  void arrive(std::uint32_t mbarrier, const HappensBefore &other, Released);
  /// Lanes of the warp have observed the end of a phase.
  void acquire(std::uint32_t mbarrier, std::uint32_t lanes, const Site &);

  // What is ordered.
  /// Whether a sync of lanes orders the access of a shadow word, by another lane of the warp, before what the lane
  /// does now.
  bool knows_lane(std::uint32_t lane, std::uint64_t cell) const {
    return !warp_->lanes_seen.empty() && cell >> 32 < warp_->lanes_seen[lane][cell & 31];
  }
  /// Whether the warp has had one. Shadow words that name no lane may then be out of date.
  bool has_synced_lanes() const { return !warp_->lanes_seen.empty() || !mbarriers.empty(); }
  /// Whether the access of a shadow word, by another warp, happens before what a lane does now. any_lane: see WarpClocks
  bool comes_before(std::uint64_t cell, std::uint32_t lane) const {
    return comes_before(cell, context_.warp, lane);
  }
  bool comes_before(std::uint64_t cell, std::uint32_t warp, std::uint32_t lane) const;
  /// The same for a copy that has arrived.
  bool knows_copy(std::uint64_t writer, std::uint32_t lane) const;
  /// The same for an access by another block of the cluster.
  bool knows_of_block(std::uint64_t cell) const;
  /// The same for an access by any block, through words of global memory.
  Knowledge knowledge_of(std::uint64_t cell, std::uint32_t *site) const {
    return global.knowledge_of(cell, context_.warp, site);
  }
  /// Whether a flag or lock in shared memory released another warp's access to this warp, which has not fenced since.
  bool is_unfenced(std::uint64_t cell) const {
    return flags_.used() && flags_.is_unfenced(cell, context_.warp);
  }
  /// Whether a lock or an awaited flag would order another warp's access, had all threads fenced.
  bool is_signaled(std::uint64_t cell) const {
    return flags_.used() && flags_.is_signaled(cell, context_.warp);
  }
  /// Where it was written, if so.
  const Site &releasing_site(std::uint64_t cell) const { return flags_.releasing_site(cell, context_.warp); }
  /// The time before which the accesses of a warp come before what the current warp does now.
  std::uint32_t known_before(std::uint32_t warp) const;
  /// Whether the warp has acquired since the barrier what any other warp of the block has done.
  bool knows_other_warps() const;
  /// Whether the warp has acquired any other thread's work at all, through global memory or from other blocks.
  bool knows_others() const;
  /// What all warps have acquired from other blocks of the cluster.
  Clock acquired_from_blocks() const;
  /// Of a strong read of what another warp has written: Knowledge::signaled if a lock, or a flag that was waited for,
  /// released it, and the writer has no fence before that; unfenced if the reader that took a lock has none. reader:
  /// the cell of those who have read the word
  Knowledge lacks_fence(std::uint64_t writer, std::uint64_t reader) const;
  /// Whether the warp may know of a strong write by another warp, with or without fences: a flag or lock released it, or
  /// the warp has read the word since.
  bool may_know_of(std::uint64_t writer, std::uint64_t reader) const;
  /// Whether the warp has fenced since the block's last barrier: its next store may be a flag.
  bool has_fenced() const;

  LogicalTime time;
  GlobalOrder global;
  MbarrierOrder mbarriers;
  UpdatesInProgress updates;

 private:
  void use_clocks();
  void fence_block();
  bool are_all_lanes(const Warp &w, std::uint32_t lanes) const {
    // The instructions of warpgroups take all lanes of a warp together, and their authors rely on it.
    return (w.live & ~lanes) == 0 || program_.uses_warpgroups;
  }
  /// Turns a release within this block into what other blocks acquire from it.
  void name_block(Seen &) const;

  const Program &program_;
  Context &context_;
  SharedMemory &shared_;
  const bool checked_;
  Warp *warp_ = nullptr;
  std::uint64_t block_ = 0;
  std::size_t warps_ = 0, cluster_ = 0;
  WarpClocks clocks_;
  SharedFlags flags_;
  std::map<std::uint32_t, Released> at_barriers_;  // at barriers that only some warps pass, by barrier id
};

}  // namespace warpgrade::simt
