// Shared memory of the current block: its bytes, its variables, and its shadow, which records who has written
// and read which word since the last barrier. Internal to simt.
//
// The shadow has three words for each word of memory (context.hpp describes them). Reads reach them late: they
// are logged, and entered when a store, an atomic or a change of their pattern needs them. A barrier discards
// the log. Each variable has a SharedRange, which shows without the shadow words that most accesses need no
// check.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "decode/context.hpp"

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

/// What other blocks of the cluster have done to a word of a block's shared memory, as shadow words whose time
/// identifies the block. While there is any, the word's entry in Context::writers is remote_mark.
struct RemoteCells {
  std::uint64_t hidden = 0;  ///< what Context::writers holds otherwise
  std::uint64_t writer = 0, reader = 0;
};
/// No other shadow word has both flags. Like a copy in flight, it sends every access of the block the slow path.
constexpr std::uint64_t remote_mark = 0xFFFF'FFFF'0000'0000 | writer_atomic | writer_pending;

/// A copy that another block of the cluster has started.
struct RemoteCopy {
  std::uint32_t to = 0, bytes = 0, barrier = 0;
  std::uint64_t starter = 0;  ///< the thread that started it, as a shadow word
  std::byte data[16] = {};
};

/// Bytes that a phase of an mbarrier waits for, and those that the copies in flight transfer.
struct Transactions {
  std::int64_t expected = 0, copied = 0;
};

class SharedMemory {
 public:
  /// Sets Context::shared, writers, readers and earlier_readers. checked: there is a shadow.
  SharedMemory(const Program &, std::uint32_t dynamic_bytes, bool checked, Context &);
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  /// Marks all of it as unset. initialized: this will not be checked.
  void begin_block(bool initialized);
  /// After a barrier: earlier reads and writes no longer matter.
  void begin_epoch();
  /// Time starts again: old shadow words would look recent.
  void forget_times();
  /// A copy that no thread waited for never arrives.
  void abandon(const PendingCopy &);

  /// Ascending; dynamic memory last.
  const std::vector<SharedVariable> &variables() const { return variables_; }
  /// Null between two variables.
  const SharedVariable *variable_at(std::uint64_t offset) const;
  /// Whether all variables are known to have been written in this block.
  bool is_initialized() const;
  std::uint32_t bytes() const { return bytes_; }  ///< with red zones
  SharedRange *range_of(const SharedVariable &);
  /// An access that writes shadow words took the slow path.
  void mark_written(std::uint64_t offset, std::uint32_t bytes);
  /// Brings the shadow words up to date.
  void enter_reads();
  // Words that other blocks of the cluster have accessed, by the index of their shadow word.
  RemoteCells &remote(std::uint64_t cell);
  void cover(std::uint64_t cell);
  /// Context::writers[cell] as it is, or will be once the accesses of other blocks are ordered.
  std::uint64_t settled_writer(std::uint64_t cell) const;
  /// Forgets those whose accesses are all known(cell).
  template <class Known>
  void uncover(const Known &known);
  /// Keeps covered words covered after a barrier of the block.
  void keep_covered();
  /// Makes room in the log for a read of this many words, if necessary by emptying it.
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
  std::vector<std::uint64_t> writers_, readers_, earlier_;
  std::vector<SharedRange> ranges_;  // by variable, as the next two
  std::vector<std::vector<PendingRead>> logs_;
  std::vector<std::vector<PatternWord>> words_;
  std::vector<RemoteCells> remote_;  // empty until there is an access
  std::vector<std::uint32_t> covered_;
};

template <class Known>
void SharedMemory::uncover(const Known &known) {
  std::erase_if(covered_, [&](std::uint32_t cell) {
    RemoteCells &one = remote_[cell];
    if ((one.writer & writer_pending) || !known(one.writer) || !known(one.reader)) return false;
    writers_[cell] = settled_writer(cell);
    one = {};
    return true;
  });
}

/// While it exists, the shadow word holds what the block's own threads did.
class Uncovered {
 public:
  Uncovered(SharedMemory &shared, Context &context, std::uint64_t cell)
      : writer_(context.writers[cell]), hidden_(nullptr) {
    if (writer_ != remote_mark) return;
    hidden_ = &shared.remote(cell).hidden;
    writer_ = *hidden_;
  }
  ~Uncovered() {
    if (!hidden_) return;
    *hidden_ = writer_;
    writer_ = remote_mark;
  }
  Uncovered(const Uncovered &) = delete;
  Uncovered &operator=(const Uncovered &) = delete;

 private:
  std::uint64_t &writer_, *hidden_;
};

}  // namespace warpgrade::simt
