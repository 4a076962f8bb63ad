// The happens-before order of the mbarriers of a block, phase by phase. docs/memory-model.md describes it. Internal to
// simt.
//
// An arrival releases what the thread has done and acquired so far. A thread that then observes the end of the
// phase acquires what all arrivals of that phase, or of an earlier one, released, and the copies that it counted.
// Nothing is ordered for threads that do not wait, nor what a thread does between its arrival and its wait.
#pragma once

#include <cstdint>
#include <map>

#include "machine/checks/shared_flags.hpp"

namespace warpgrade::simt {

/// What threads release by arriving somewhere.
struct Released {
  Seen seen;
  WarpOrder order;  ///< empty if it is not tracked

  void join(const Released &other, bool tracked) {
    seen.join(other.seen);
    if (tracked) join_order(order, other.order);
  }
};

class MbarrierOrder {
 public:
  MbarrierOrder(WarpClocks &clocks, GlobalOrder &global, SharedFlags &flags)
      : clocks_(clocks), global_(global), flags_(flags) {}
  void clear() { phases_.clear(); }
  bool empty() const { return phases_.empty(); }
  /// The mbarrier is initialized: what was released at it before does not count. barrier: its offset
  void initialize(std::uint32_t barrier);

  /// whole: all lanes of the warp arrive, and do nothing else before they wait
  void arrive(std::uint32_t barrier, const Released &, std::uint32_t warp, bool whole);
  void arrive_from_other_block(std::uint32_t barrier, const Released &);
  /// Lanes of the warp have observed the end of a phase. all: they count as the whole warp. others: and so what other
  /// blocks of the cluster released
  void acquire(std::uint32_t barrier, const Warp &, std::uint32_t lanes, bool all, const Site &, bool others);

  /// A copy that the mbarrier counts arrives. starter: the cell of the thread that started it. Returns the cell of the
  /// words it writes, without a time.
  std::uint64_t add_copy(std::uint32_t barrier, std::uint64_t starter);
  /// The thread that started a copy that has arrived, as a shadow word.
  std::uint64_t starter_of(std::uint64_t writer) const;
  /// Ends the phase; what it counted has arrived before `time`. Returns the warps all of whose lanes have arrived and wait
  /// immediately, or 0 if others have arrived that continue first.
  std::uint32_t end_phase(std::uint32_t barrier, std::uint32_t time, bool in_cluster);

 private:
  struct Phases {
    std::uint32_t number = 0;            // in cells of copies that have arrived
    Released coming, over;               // in the current phase; in those that have ended
    Released of_others, over_of_others;  // the same, of arrivals from other blocks of the cluster
    std::uint32_t meet = 0;              // warps all of whose lanes have arrived and wait immediately
    bool some_part = false;              // others have arrived that continue first
    std::map<std::uint32_t, std::uint64_t> started;  // by site of a copy: its last starter, as a cell
  };
  Phases &of(std::uint32_t barrier);
  void acquire(const Released &, const Warp &, std::uint32_t lanes, bool all, bool acquires);

  WarpClocks &clocks_;
  GlobalOrder &global_;
  SharedFlags &flags_;
  std::map<std::uint32_t, Phases> phases_;  // by offset of the mbarrier
};

}  // namespace warpgrade::simt
