// What a warp has acquired from the others of its block since their last barrier, of the copies that mbarriers
// have counted, and from the other blocks of its cluster. Internal to simt.
//
// Times are those of shadow words (context.hpp). A copy that an mbarrier counts is no thread's work: once it has
// arrived, its shadow word has writer_pending, the time at which its phase ended, and instead of a thread the
// number of the mbarrier. Threads that waited for that phase, and threads that synchronized with them, observe it.
#pragma once

#include <array>
#include <cstdint>

#include "decode/context.hpp"
#include "machine/checks/order.hpp"

namespace warpgrade::simt {

constexpr std::size_t warps_of_block = 32;    ///< at most
constexpr std::uint32_t most_mbarriers = 32;  ///< with a clock each; others of a block share the last one

/// A copy to shared memory that has not arrived.
constexpr bool is_in_flight(std::uint64_t writer) {
  return writer >> 32 == UINT32_MAX;
}
/// A copy that an mbarrier has counted.
constexpr bool has_arrived(std::uint64_t writer) {
  return (writer & writer_pending) != 0 && !is_in_flight(writer);
}

struct Seen {
  /// Of each warp: what all its lanes did before that time. Then of each mbarrier: what was copied before.
  std::array<std::uint32_t, warps_of_block + most_mbarriers> before{};
  /// Of a warp only some of whose lanes released: what these did.
  struct Some {
    std::uint32_t lanes = 0, before = 0;
  };
  std::array<Some, warps_of_block> some{};
  bool has_some = false;
  Clock others;  ///< what other blocks of the cluster did

  void join(const Seen &);
  /// Lanes of a warp release what they did before a time. all: there are no others.
  void add(std::uint32_t warp, std::uint32_t lanes, bool all, std::uint32_t time);
  /// Whether a thread's access is known, or would be if the warps had been synced before they released.
  bool knows(std::uint64_t cell, bool synced = false) const;
  bool knows_copy(std::uint64_t writer) const {  ///< that has arrived
    return writer >> 32 < before[warps_of_block + (writer & cell_thread) % most_mbarriers];
  }
  /// The latest known work of a warp, of any lane.
  std::uint32_t latest(std::uint32_t warp) const {
    return some[warp].before > before[warp] ? some[warp].before : before[warp];
  }
};

}  // namespace warpgrade::simt
