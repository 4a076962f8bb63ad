// The happens-before order of an mbarrier, phase by phase. docs/memory-model.md describes it. Internal to simt.
//
// An arrival releases what the thread has done and observed so far. A thread that then observes the end of the
// phase acquires what all arrivals of that phase, or of an earlier one, released, and the copies that it counted.
// Nothing is ordered for threads that do not wait, nor what a thread does between its arrival and its wait.
#pragma once

#include <cstdint>
#include <map>

#include "simt/seen.hpp"

namespace warpgrade::simt {

/// What threads release by arriving somewhere.
struct Told {
  Seen seen;
  WarpOrder order;  ///< empty if it is not tracked

  void join(const Told &other, bool follows_order) {
    seen.join(other.seen);
    if (follows_order) join_order(order, other.order);
  }
};

/// Of one mbarrier.
struct Phases {
  std::uint32_t number = 0;        ///< in cells of copies that have arrived
  Told coming, over;               ///< in the current phase; in those that have ended
  Told of_others, over_of_others;  ///< the same, of arrivals from other blocks of the cluster
  std::uint32_t meet = 0;          ///< warps all of whose lanes have arrived and wait immediately
  bool some_part = false;          ///< others have arrived that continue first
  std::map<std::uint32_t, std::uint64_t> started;  ///< by site of a copy: its last starter, as a cell

  void end_phase(bool follows_order, bool clusters) {
    over.join(coming, follows_order);
    coming.seen = {};
    if (follows_order) coming.order = {};
    if (clusters) {
      over_of_others.join(of_others, follows_order);
      of_others = {};
    }
    meet = 0;
    some_part = false;
  }
};

/// What some lanes of a warp observe that the others do not.
struct HeardBySome {
  std::uint32_t lanes = 0;
  Seen seen;
};

}  // namespace warpgrade::simt
