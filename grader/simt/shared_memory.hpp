// Shared memory of the block that runs: its bytes, its variables, and its shadow, which knows who has written
// and read which word since the last barrier. Internal to simt.
//
// The shadow has two cells for each word (context.hpp says what they hold). Reads reach the cells late: they
// are logged, and entered when a store, an atomic or a change of their pattern needs them. A barrier discards
// the log. Each variable has a SharedRange, which says without a look at the cells that most accesses need
// none.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "simt/context.hpp"

namespace warpgrade::simt {

/// A copy that cp.async has started.
struct PendingCopy {
  std::uint32_t to = 0, bytes = 0;
  std::uint32_t site = 0;
  std::uint8_t lane = 0;
  bool committed = false;
  std::uint32_t group = 0;
  std::uint32_t barrier = 0;  ///< offset of the mbarrier whose phase it completes with; 0: none
  std::byte data[16] = {};
};

/// A bulk copy from shared memory that was started: what it has read, and whether its group was committed.
struct PendingSend {
  std::uint32_t site = 0;
  std::uint8_t lane = 0;
  bool committed = false;
  std::uint32_t group = 0;
  struct Piece {
    std::uint32_t from = 0;
    std::byte data[16] = {};
  };
  std::vector<Piece> pieces;

  void add(std::uint64_t from, const std::byte *data) {
    pieces.push_back({static_cast<std::uint32_t>(from), {}});
    std::memcpy(pieces.back().data, data, sizeof pieces.back().data);
  }
  bool is_unchanged(const std::byte *shared) const {
    return std::all_of(pieces.begin(), pieces.end(), [shared](const Piece &one) {
      return std::memcmp(shared + one.from, one.data, sizeof one.data) == 0;
    });
  }
};

/// Bytes that a phase of an mbarrier waits for, and those that the copies under way bring.
struct Transactions {
  std::int64_t expected = 0, copied = 0;
};

class SharedMemory {
 public:
  /// Sets Context::shared, writers and readers. checked: there is a shadow.
  SharedMemory(const Program &, std::uint32_t dynamic_bytes, bool checked, Context &);
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  /// Nothing has a value. initialized: nobody will look whether it has.
  void begin_block(bool initialized);
  /// After a barrier: who has read or written before it no longer matters.
  void begin_epoch();
  /// Time starts anew: cells of another age would look young again.
  void forget_times();
  /// A copy that nobody waited for never arrives.
  void abandon(const PendingCopy &);

  /// Ascending; dynamic memory last.
  const std::vector<SharedVariable> &variables() const { return variables_; }
  std::uint32_t bytes() const { return bytes_; }  ///< with red zones
  SharedRange *range_of(const SharedVariable &);
  /// An access that writes cells went the slow way.
  void mark_written(std::uint64_t offset, std::uint32_t bytes);
  /// Brings the cells up to date.
  void enter_reads();
  /// Makes room in the log for a read of so many words, if only by emptying it.
  void make_room(SharedRange &);
  void make_room_for_words(SharedRange &, std::uint32_t more);

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  Context &context_;
  const bool uses_reserved_;
  std::uint32_t bytes_ = 0;
  std::vector<SharedVariable> variables_;
  std::vector<Line> lines_;
  std::vector<std::uint64_t> writers_, readers_;
  std::vector<SharedRange> ranges_;  // by variable, as the next two
  std::vector<std::vector<PendingRead>> logs_;
  std::vector<std::vector<PatternWord>> words_;
};

}  // namespace warpgrade::simt
