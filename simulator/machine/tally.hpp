// Memory accesses counted by one worker: by instruction and buffer, and which sectors were accessed.
// Internal to simt.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "counters/counters.hpp"
#include "counters/path.hpp"
#include "decode/context.hpp"
#include "machine/memory.hpp"

namespace warpgrade::simt {

/// Sectors of one allocation: a bit each.
class SectorSet {
 public:
  std::uint64_t *bits() { return bits_.get(); }
  bool empty() const { return words_ == 0; }
  void make_room(std::uint64_t sectors);
  void add(std::uint64_t first, std::uint64_t last) {
    if (first / 64 < begin_) begin_ = first / 64;
    if (last / 64 >= end_) end_ = last / 64 + 1;
    for (std::uint64_t i = first; i <= last; ++i) bits_[i / 64] |= std::uint64_t{1} << (i & 63);
  }
  void add(const SectorSet &);
  /// Bits of these sectors may be set from outside.
  void widen(std::uint64_t first, std::uint64_t last) {
    begin_ = std::min(begin_, first / 64);
    end_ = std::max(end_, last / 64 + 1);
  }
  std::uint64_t count() const;

 private:
  std::unique_ptr<std::uint64_t[], Free> bits_;             // from calloc: untouched pages cost nothing
  std::uint64_t words_ = 0, begin_ = UINT64_MAX, end_ = 0;  // words that may hold a bit
};

/// One direction of a request that a memory instruction made: loads, stores, or atomics.
enum class Touch : std::uint8_t { load, store, atomic };
constexpr std::size_t touches = 3;

class Tally {
 public:
  Tally(const Program &, std::span<SiteState>, std::span<const Pattern>);

  /// The counters of an instruction on one buffer; nullptr: several. Valid until the next call.
  AccessCounters &of(std::uint32_t site, ptx::Space, const void *buffer);
  void touch(const Allocation &, Touch, Address begin, std::uint64_t bytes);

  // The fast path (hot/memory.cpp) counts in SiteState: how often a pattern was used, on one buffer.
  /// Moves what the state counts here; before its pattern or its buffer changes.
  void settle(SiteState &);
  /// The pattern is about to change: nothing was seen of the next one.
  void forget(std::uint32_t pattern);
  /// Counts the following requests for this buffer.
  void begin_buffer(SiteState &, const Allocation &);
  void begin_buffer(SiteState &, const SharedVariable &);
  /// The same for atomics in global memory, of which only the sectors are counted.
  void begin_atomics(SiteState &, const Allocation &);
  /// The sectors of [low, high) may be marked through SiteState::sector_bits.
  void widen(SiteState &, Address low, Address high);
  /// Marks the sectors of the pattern at `low`, and that this was done.
  void see(SiteState &, Address low);

  struct Key {
    std::uint32_t site = 0;
    ptx::Space space = ptx::Space::global;
    const void *buffer = nullptr;  ///< Allocation or SharedVariable
    auto operator<=>(const Key &) const = default;
  };
  const std::map<Key, AccessCounters> &accesses() const { return accesses_; }

  struct Touched {
    const Allocation *allocation = nullptr;
    SectorSet sectors[touches];
  };
  static UniqueSectors unique(const std::vector<const Tally *> &);
  /// The accessed sectors, which the tally then forgets.
  std::shared_ptr<const TouchedSectors> take_touched();

 private:
  void settle_scattered(SiteState &);
  /// Which lowest addresses of a pattern were seen in a buffer, in units of 1 << Pattern::seen_shift.
  struct Seen {
    const Allocation *allocation = nullptr;
    std::unique_ptr<std::uint64_t[], Free> bits;
    std::vector<std::uint64_t> used;  ///< words that are not 0
  };
  Seen &seen_by(const Site &, const Allocation &);
  SectorSet &sectors_of(const Allocation &, Touch);

  const Program &program_;
  std::span<SiteState> sites_;
  std::span<const Pattern> patterns_;
  std::vector<std::vector<Seen>> seen_;  // by pattern
  std::map<Key, AccessCounters> accesses_;
  Key last_key_;
  AccessCounters *last_ = nullptr;
  std::map<const Allocation *, Touched> touched_;
  Touched *last_touched_ = nullptr;
};

class TouchedSectors {
 public:
  std::map<const Allocation *, Tally::Touched> by_allocation;
};

}  // namespace warpgrade::simt
