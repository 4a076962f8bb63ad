// A warp and its groups of lanes. Internal to simt.
//
// Lanes of a warp at the same place form a group. A branch at which they diverge makes two groups; the group at
// the lowest basic block runs first, so that lanes ahead wait and lanes reconverge after the branch. Groups
// that arrive at one place merge.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "machine/shared_memory.hpp"

namespace warpgrade::simt {

struct Group {
  std::uint32_t block = 0;
  std::uint32_t mask = 0;
  bool waiting = false;
  std::uint64_t turn = 0;              ///< when the lane that has waited longest had its turn; 0: never
  std::uint32_t decided = UINT32_MAX;  ///< the block whose branch it took last; none yet
  std::uint64_t vain = 0;              ///< the warp's turn in which it last waited in vain at an mbarrier
};

using LaneTimes = std::array<std::uint32_t, 32>;

struct Warp {
  enum class State : std::uint8_t { ready, at_barrier, done };
  State state = State::ready;
  std::uint32_t index = 0;
  std::uint32_t live = 0, all = 0;
  std::vector<Group> groups;
  std::uint64_t warp_cell = 0;
  /// By lane: what each lane did before that time is known, from syncs of some lanes. Empty: there were none.
  std::vector<LaneTimes> lanes_seen;
  std::vector<PendingCopy> copies;
  std::uint32_t committed[32] = {};  ///< per lane: cp.async groups committed so far
  std::vector<PendingSend> sends;
  // of the barrier of the cluster: see cluster.hpp
  std::uint32_t cluster_arrived = 0;  ///< lanes that have arrived in the current phase
  std::uint32_t cluster_owes = 0;     ///< lanes that have arrived and have not waited yet
  std::uint32_t cluster_time = 0;     ///< its arrival in the current phase releases what it did until then
  std::uint32_t cluster_phase = 0;    ///< the last phase that the warp has waited for; 0: none
  std::uint32_t fence_time = 0;       ///< of its last fence
  std::uint32_t spins = 0;            ///< of groups that others of the warp wait for, approximately
  std::uint32_t committed_sends[32] = {};  ///< the same of bulk copies
  bool waits = false;                      ///< its last turn ended in a loop that waits for another block

  /// Merges the group with another at its place, if there is one; group: where it is then.
  void merge(std::size_t &group);
  /// Lanes that left their group continue at a basic block.
  void add(Group group) {
    groups.push_back(group);
    std::size_t made = groups.size() - 1;
    merge(made);
  }
  void remove(std::size_t group) { groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group)); }
};

/// Where a warp that waits at a barrier waits.
inline const Block &barrier_of(const Program &program, const Warp &w) {
  return program.blocks[w.groups.front().block];
}
inline bool waits_at(const Program &program, const Warp &w, BarrierKind kind) {
  return w.state == Warp::State::at_barrier && barrier_of(program, w).barrier == kind;
}

inline void Warp::merge(std::size_t &group) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == group || groups[i].block != groups[group].block) continue;
    const std::size_t keep = std::min(i, group), drop = std::max(i, group);
    groups[keep].mask |= groups[drop].mask;
    groups[keep].waiting = false;
    groups[keep].turn = std::min(groups[keep].turn, groups[drop].turn);
    remove(drop);
    group = keep;
    return;
  }
}

}  // namespace warpgrade::simt
