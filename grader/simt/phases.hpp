// What an mbarrier tells, phase by phase. docs/memory-model.md is the written form. Internal to simt.
//
// Whoever arrives tells what it has done and knows so far. Whoever then finds that the phase has ended knows
// what all who arrived in it, or in an earlier phase, have told, and has the copies that it counted. Nothing
// is ordered for threads that do not wait, and nothing that a thread does between its arrival and its wait.
#pragma once

#include <cstdint>
#include <map>

#include "simt/seen.hpp"

namespace warpgrade::simt {

/// What threads tell by arriving somewhere.
struct Told {
  Seen seen;
  WarpOrder order;  ///< empty where nobody follows it

  void join(const Told &other, bool follows_order) {
    seen.join(other.seen);
    if (follows_order) join_order(order, other.order);
  }
};

/// Of one mbarrier.
struct Phases {
  std::uint32_t number = 0;                        ///< in cells of copies that have arrived
  Told coming, over;                               ///< in the phase that runs; in those that have ended
  Told of_others, over_of_others;                  ///< the same, of arrivals from other blocks of the cluster
  std::uint32_t meet = 0;                          ///< warps all of whose lanes have arrived and wait at once
  bool some_part = false;                          ///< others have arrived that go on first
  std::map<std::uint32_t, std::uint64_t> started;  ///< by site of a copy: who started it last, as a cell

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

/// What lanes of a warp know that the others do not.
struct HeardBySome {
  std::uint32_t lanes = 0;
  Seen seen;
};

}  // namespace warpgrade::simt
