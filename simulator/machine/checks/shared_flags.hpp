// Locks and flags in shared memory: what fences, atomics and volatile accesses to them release and acquire between the
// warps of a block. A warp that reads a flag acquires all that its writer had done before its last fence. Beside that
// there is what the author may have meant, had all threads fenced; it tells a forgotten fence from a race in which
// nobody tried to synchronise. Kernels without a fence pay nothing. Internal to simt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "machine/checks/global_order.hpp"

namespace warpgrade::simt {

class SharedFlags {
 public:
  SharedFlags(const Program &program, LogicalTime &time, WarpClocks &clocks, GlobalOrder &global)
      : program_(program), time_(time), clocks_(clocks), global_(global) {}
  /// A block begins.
  void begin(std::size_t warps);
  /// Whether the kernel has such words. Without them nothing else may be called.
  bool used() const { return program_.orders_warps; }

  /// The warp has executed a fence at this time.
  void fence(std::uint32_t warp);
  /// It acquires what it has read and not fenced.
  void acquire_pending(std::uint32_t warp);
  /// It has read something released in a way that needs a fence to acquire it.
  void add_pending(std::uint32_t warp, const Seen &);
  const Seen &pending(std::uint32_t warp) const { return pending_[warp]; }
  /// A volatile or atomic access.
  void access(std::uint32_t warp, std::uint64_t offset, const Site &, bool reads, bool writes);

  /// Whether a flag or lock released another warp's access to this warp, which has not fenced since.
  bool is_unfenced(std::uint64_t cell, std::uint32_t warp) const { return pending_[warp].knows(cell, true); }
  /// Whether what the warp has not fenced came through a lock, or an explicitly relaxed read.
  bool needs_fence(std::uint32_t warp) const { return needs_fence_[warp]; }
  std::uint32_t fence_of(std::uint32_t warp) const { return fenced_[warp]; }  ///< the time of its last one
  /// Whether a lock or an awaited flag would order another warp's access, had all threads fenced.
  bool is_signaled(std::uint64_t cell, std::uint32_t warp) const {
    return cell >> 32 < signaled_[warp][(cell & cell_warp) >> 5].time;
  }
  /// Where the lock or flag was written, if so.
  const Site &releasing_site(std::uint64_t cell, std::uint32_t warp) const {
    return program_.sites[signaled_[warp][(cell & cell_warp) >> 5].site];
  }

 private:
  struct Word {
    Seen released;  // what the warps that wrote it had done before their fences
    std::array<std::uint32_t, warps_of_block> unfenced{};  // by warp: all that they had done
    std::array<std::uint32_t, warps_of_block> sites{};     // where they wrote it
    Clock elsewhere;                                       // released, of all blocks
    std::uint32_t version = 1;                             // changes when one of these does
    // By warp: the version that it has joined, times 2, plus 1 if it needed no fence for it.
    std::array<std::uint32_t, warps_of_block> acquired{};
  };
  struct Signal {
    std::uint32_t time = 0, site = 0;
  };
  void read(std::uint32_t warp, Word &, const Site &);
  void write(std::uint32_t warp, Word &, const Site &, bool reads);

  const Program &program_;
  LogicalTime &time_;
  WarpClocks &clocks_;
  GlobalOrder &global_;
  std::map<std::uint64_t, Word> words_;  // by offset in shared memory
  // By warp:
  std::vector<std::array<Signal, 32>> signaled_;  // from locks and awaited flags, had all threads fenced
  std::vector<Seen> pending_;                     // what it would acquire with a fence
  std::vector<bool> needs_fence_;
  std::vector<std::uint32_t> fenced_;  // its last fence
};

}  // namespace warpgrade::simt
