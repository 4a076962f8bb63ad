// What fences, atomics and strong accesses order between the threads of a launch, through words of global
// memory. docs/memory-model.md is the written form. Internal to simt.
//
// Each warp has clocks: which accesses of which warps are known to have come first. A fence takes a copy of
// what the warp has done and knows; a strong write puts that copy beside the word it writes; a strong read of
// the word takes it over. Beside the clock that counts there are two of what the author may have meant: one
// in which readers need no fence, and one in which nobody does. They tell a forgotten fence from a race in
// which nobody tried to synchronise.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "decode/program.hpp"

namespace warpgrade::simt {

/// Accesses of one warp, or of all warps of a block, before a time are known.
struct Horizon {
  std::uint64_t who;  ///< block << 6 | warp, or | whole_block
  std::uint32_t time;
  std::uint32_t site;  ///< the strong write through which it became known
};
constexpr std::uint32_t whole_block = 63;

class Clock {
 public:
  bool empty() const { return horizons_.empty() && all_before_ == 0; }
  void clear() { horizons_.clear(), all_before_ = 0; }
  void add(const Horizon &);
  void join(const Clock &);
  /// What the author of a strong write has acquired, but has not released by it, became known through that write only.
  void blame(std::uint32_t site, const Clock &acquired, const Clock &not_fenced, const Clock &released);
  /// Everybody's accesses before `time` are known.
  void know_all(std::uint32_t time);
  /// The time before which all accesses of `others` other blocks than this one are known; UINT32_MAX if others is 0.
  std::uint32_t knows_blocks_before(std::uint64_t block, std::uint64_t others) const;
  /// Whether an access at `time` is known. `site`: if so, the strong write that released it, if one did.
  bool knows(std::uint64_t block, std::uint32_t warp, std::uint32_t time,
             std::uint32_t *site = nullptr) const;

 private:
  void shorten();
  /// Whether it has a horizon, at any time, for each of the other's.
  bool names_all_of(const Clock &other) const;
  std::vector<Horizon> horizons_;  // ascending by who
  std::uint32_t all_before_ = 0;
};

/// A word that threads synchronize through.
struct Flag {
  Clock device;          ///< released at device scope or wider
  Clock block;           ///< released at block scope
  Clock without_fences;  ///< what fences everywhere would have released
  std::uint64_t of = 0;  ///< the block of `block`
  std::uint32_t version = 0;
  std::uint64_t changed_by = 0;  ///< cell of the last access that gave the word another value
};

/// Of one warp.
struct WarpOrder {
  Clock known;
  Clock without_acquire_fence;  ///< the same if no reader needed a fence
  Clock without_fences;         ///< the same if nobody needed one, and scopes were wide enough
  Clock signaled;  ///< of `without_fences`, what came by way of locks and flags that were waited for
  Clock pending, pending_in_block;  ///< read, but not fenced yet
  Clock released, released_in_block;
  bool needs_fence = false;    ///< what is pending came through a lock, or a read that says it is relaxed
  bool fenced_weakly = false;  ///< the last fence had the scope of the block
  bool keeps = false;          ///< it has acquired something since its last fence of device scope
  bool read_relaxed = false;   ///< what is pending came through a read that says that it is relaxed
  bool read_narrowly = false;  ///< the last flag of another block, by an access of the scope of the block
  const Flag *seen = nullptr;  ///< the flag read last, and its version then
  std::uint32_t seen_version = 0;
};

/// How an access is known to have come first.
enum class Knowledge : std::uint8_t {
  none,       ///< it is not
  by_fences,  ///< it would be with fences everywhere
  signaled,   ///< the same, through a lock or an awaited flag
  unfenced,   ///< the reader of the flag lacks a fence
  unsynced,   ///< a warp lacks a sync of its lanes, one of which arrived at an mbarrier or waited there
  known
};

/// What a warp knows once it has met another one at a barrier. On the reading side that counts as a fence, as
/// NVIDIA's own samples take it.
void join_order(WarpOrder &to, const WarpOrder &from);

/// Flags of a launch, by address.
class Flags {
 public:
  /// nullptr: there are too many words to keep.
  Flag *at(std::uint64_t address);
  /// nullptr: no thread has accessed it by a strong access.
  const Flag *find(std::uint64_t address) const;
  std::set<std::uint32_t> weak_releases;  ///< sites that wrote a flag after a fence of the scope of the block

 private:
  std::unordered_map<std::uint64_t, Flag> flags_;
};

}  // namespace warpgrade::simt
