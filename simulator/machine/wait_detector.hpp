// Whether a block only waits for others: it reads words of global memory, again the same ones, and changes nothing.
// Internal to simt.
//
// A window is a number of basic blocks that the warps of a block execute. The first window with a read that may be one
// of a flag, and without any other sign of progress, has the next ones recorded: which words are read, and which plain
// stores write. Once a window brings no word that is new, and no atomic or strong store changes any, the block waits. A
// plain store to the same words again is no progress: nobody may read them before the wait is over. Kernels that never
// read flags pay for a test in each basic block; in those that do and go on storing elsewhere, the pauses between
// recorded windows grow.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace warpgrade::simt {

class WaitDetector {
 public:
  /// A block begins. together: it takes turns with the other blocks of its grid, and its windows are short
  void begin(bool together);
  /// A basic block was executed. reads: words that may be flags; acts: in a way that counts as progress
  void note_block(bool reads, bool acts) { reads_ |= reads, acted_ |= acts; }
  /// Whether the words that basic blocks read and write are to be noted. After progress the window shows no wait anyway.
  bool records() const { return recording_ && !changed_ && !acted_; }
  /// Before the words of a basic block are noted.
  void limit_words();
  /// A basic block that may read flags is noted.
  void note_look() { ++looks_; }
  void note_read(std::uint64_t word) {
    if (words_.insert(word).second) fresh_ = true;
  }
  /// A plain store, after which the word has this value. False: no more are noted in this window.
  bool note_store(std::uint64_t address, std::uint64_t value);
  /// After the stores of an operation.
  void pause_if_acted();
  /// An atomic or a strong store changes a word of global memory.
  void note_change() { changed_ = true, looks_ = 0; }
  /// The turn of a warp begins.
  void begin_turn() { looks_ = 0; }
  /// Whether the warp only looks, also in a loop that does more than that: another one should have its turn.
  bool only_looks() const { return looks_ >= (together_ ? most_looks_together : most_looks_alone); }
  /// After the turn of a warp that executed so many basic blocks.
  void end_turn(std::uint32_t executed);

  bool waits() const { return waits_; }
  /// Whether it also gives words that it stores to other values meanwhile.
  bool works_meanwhile() const { return works_; }

 private:
  static constexpr std::uint32_t most_looks_alone = 64, most_looks_together = 16;
  std::uint32_t looks_ = 0;  // basic blocks of this turn that may have read flags, since a word changed
  bool together_ = false, waits_ = false, works_ = false;
  std::uint32_t executed_ = 0;  // basic blocks of this window
  bool reads_ = false, acted_ = false, changed_ = false, fresh_ = false;
  bool recording_ = false, stores_change_ = false;
  std::uint32_t windows_ = 0;           // that were recorded one after the other
  std::uint32_t pause_ = 0, rest_ = 0;  // windows that are not recorded: of a pause, and what is left of it
  std::unordered_set<std::uint64_t> words_;
  std::unordered_map<std::uint64_t, std::uint64_t> stored_;  // what plain stores have left, by address
};

}  // namespace warpgrade::simt
