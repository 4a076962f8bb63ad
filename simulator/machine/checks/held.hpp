// Which locks a thread holds when it stores to a word: a word that threads protect by different locks, or that one of
// them stores without any, is not protected. docs/memory-model.md is the written form. Internal to simt.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpgrade::simt {

/// A place in memory, as a key: an address of global memory, or an offset in the shared memory of a block.
using Place = std::uint64_t;
constexpr Place shared_place_bit = std::uint64_t{1} << 63;
constexpr Place place_in_shared(std::uint64_t block, std::uint64_t offset) {
  return shared_place_bit | block << 24 | offset;
}

/// What a thread held at a store.
struct Guard {
  std::uint64_t cell = 0;       ///< of the store
  Place lock = 0;               ///< one that the thread holds; 0: none
  std::uint32_t site = 0;       ///< where it took that one
  std::vector<Place> of_block;  ///< all that threads of its block hold
};

/// The locks that threads of a block hold.
class HeldLocks {
 public:
  /// A launch begins. followed: its kernel has locks, and races are checked
  void follow(bool followed) { followed_ = followed; }
  bool are_followed() const { return followed_; }
  bool empty() const { return held_.empty(); }
  void clear() { held_.clear(), tickets_.clear(); }
  void take(Place, std::uint32_t thread, std::uint32_t site);
  /// Whichever thread of the block gives it back.
  void give(Place);
  /// The thread does not hold it after all.
  void give(Place, std::uint32_t thread);
  /// The threads of the block have met: what one holds, all hold.
  void share();
  Guard of(std::uint32_t thread) const;
  /// An atomic has given a thread a number of a ticket lock; `site`: where.
  void note_ticket(std::uint32_t thread, std::uint32_t site, std::uint64_t number);
  bool has_ticket(std::uint32_t thread, std::uint32_t site, std::uint64_t number) const;

 private:
  struct Held {
    Place lock;
    std::uint32_t thread, site;
    bool shared;
  };
  bool followed_ = false;
  std::vector<Held> held_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> tickets_;  // by thread and site
};

/// What was held at the last store to each word.
class Guards {
 public:
  void put(Place word, Guard);
  /// Of the store that left this cell; nullptr if it is not known.
  const Guard *at(Place word, std::uint64_t cell) const;
  void clear() { of_.clear(); }

 private:
  std::unordered_map<Place, Guard> of_;
};

/// How two stores are not protected from each other.
enum class Unprotected : std::uint8_t { no, other_locks, here, there };  ///< here, there: who holds none
Unprotected compare(const Guard &here, const Guard &there);

}  // namespace warpgrade::simt
